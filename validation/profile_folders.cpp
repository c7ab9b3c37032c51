// profile_folders(): folders of profiles, relative to the binary this code was loaded from.
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "tessera/files.h"

namespace tessera::validation {

namespace {

namespace fs = std::filesystem;

/// The shared library or program that contains this function; empty if unknown.
fs::path own_file() {
  Dl_info info{};
  link_map* map = nullptr;
  void** extra = reinterpret_cast<void**>(&map);
  const auto* here = reinterpret_cast<const void*>(&profile_folders);
  std::error_code error;
  // The program itself has an empty name in the link map.
  if (dladdr1(here, &info, extra, RTLD_DL_LINKMAP) != 0 && map != nullptr && *map->l_name != '\0')
    return fs::canonical(map->l_name, error);
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) return program;
  // Without /proc, as in a minimal root file system: the name the program was started with.
  const auto name = getauxval(AT_EXECFN);  // the address of a string, 0 if there is none
  if (name == 0) return {};
  const fs::path called = fs::canonical(reinterpret_cast<const char*>(name), error);
  return error ? fs::path() : called;
}

}  // namespace

}  // namespace tessera::validation

namespace tessera {

std::vector<validation::fs::path> profile_folders(const std::vector<std::string>& first) {
  std::vector<validation::fs::path> folders(first.begin(), first.end());
  if (const char* own = std::getenv("TESSERA_PROFILES"); own != nullptr && *own != '\0')
    folders.emplace_back(own);
  const validation::fs::path own = validation::own_file().parent_path();
  if (own.empty()) return folders;
  for (const char* way : {TESSERA_PROFILES_FROM_PROGRAMS, TESSERA_PROFILES_FROM_LIBRARIES}) {
    std::error_code error;
    const validation::fs::path folder = validation::fs::canonical(own / way, error);
    if (error || !validation::fs::is_directory(folder, error)) continue;
    if (folders.empty() || folders.back() != folder) folders.push_back(folder);
  }
  return folders;
}

}  // namespace tessera
