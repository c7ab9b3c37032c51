#include "io/sweep_page.h"

#include "io/page_assets.h"

namespace tessera::io {

std::string sweep_page(std::string_view title, std::string_view sweep) {
  std::string library = "/* uPlot\n";
  library += plot_licence();
  library += "*/\n";
  library += plot_script();
  return html_page(title, {page_style(), plot_style(), "\n", sweep_style()}, {{"sweep", sweep}},
                   {library, "\n", page_parts(), sweep_script()});
}

}  // namespace tessera::io
