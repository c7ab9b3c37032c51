// Assets of the HTML pages: the files of io/report/ and third_party/uplot/, and the page frame.
//
//   return html_page("resnet18", {page_style()}, {{"result", json}},
//                    {page_parts(), report_script()});
//
// Private to io/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::io {

[[nodiscard]] std::string_view page_style();  ///< of every page
[[nodiscard]] std::string_view page_parts();  ///< shared by the scripts of all pages
[[nodiscard]] std::string_view report_script();
[[nodiscard]] std::string_view sweep_style();  ///< of `explore`
[[nodiscard]] std::string_view sweep_script();
[[nodiscard]] std::string_view plot_style();  ///< of uPlot
[[nodiscard]] std::string_view plot_script();
[[nodiscard]] std::string_view plot_licence();

/// JSON embedded in a page, in an element with this id.
struct PageData {
  std::string_view id;
  std::string_view json;
};

/// A self-contained page. Title and data may hold any text.
[[nodiscard]] std::string html_page(std::string_view title,
                                    const std::vector<std::string_view>& styles,
                                    const std::vector<PageData>& data,
                                    const std::vector<std::string_view>& scripts);

}  // namespace tessera::io
