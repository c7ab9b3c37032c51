// profile_shelves(): where profiles are, seen from wherever this code was loaded from.
#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "tessera/files.h"

namespace tessera {

namespace {

namespace fs = std::filesystem;

/// The shared library or the program that holds this very function; empty where nobody says.
fs::path own_file() {
  Dl_info info{};
  link_map* map = nullptr;
  void** extra = reinterpret_cast<void**>(&map);
  const auto* here = reinterpret_cast<const void*>(&profile_shelves);
  std::error_code error;
  // The program itself has no name there.
  if (dladdr1(here, &info, extra, RTLD_DL_LINKMAP) != 0 && map != nullptr && *map->l_name != '\0')
    return fs::canonical(map->l_name, error);
  return fs::read_symlink("/proc/self/exe", error);
}

}  // namespace

std::vector<fs::path> profile_shelves(const std::vector<std::string>& first) {
  std::vector<fs::path> shelves(first.begin(), first.end());
  if (const char* own = std::getenv("TESSERA_PROFILES"); own != nullptr && *own != '\0')
    shelves.emplace_back(own);
  const fs::path folder = own_file().parent_path();
  if (folder.empty()) return shelves;
  for (const char* way : {TESSERA_PROFILES_FROM_PROGRAMS, TESSERA_PROFILES_FROM_LIBRARIES}) {
    std::error_code error;
    const fs::path shelf = fs::canonical(folder / way, error);
    if (error || !fs::is_directory(shelf, error)) continue;
    if (shelves.empty() || shelves.back() != shelf) shelves.push_back(shelf);
  }
  return shelves;
}

}  // namespace tessera
