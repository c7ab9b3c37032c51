// Man pages, generated from the text of --help.
//
//   for (const ManPage& page : man_pages(app)) write_output(folder / page.file, page.text);
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tessera::cli {

struct ManPage {
  std::string file;  ///< "tessera-place.1"
  std::string text;  ///< roff, macros of man(7)
};

/// One for the program and one for each command.
[[nodiscard]] std::vector<ManPage> man_pages(const CLI::App& app);

}  // namespace tessera::cli
