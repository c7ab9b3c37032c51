// The engines of engines.h, loaded from the module of the baselines on first use.
#include <dlfcn.h>

#include <memory>
#include <string>

#include "baselines/engines.h"
#include "baselines/module.h"
#include "tessera/errors.h"

namespace tessera::baselines {

namespace {

/// The module stays loaded, because engines come from it. The RUNPATH of the program or library
/// that contains this function gives its path, relative to its own location.
std::unique_ptr<engine::PlacementEngine> load(const std::string& name, const char* symbol) {
  void* const module = dlopen(TESSERA_BASELINES_FILE, RTLD_NOW | RTLD_LOCAL);
  void* const make = module != nullptr ? dlsym(module, symbol) : nullptr;
  if (make == nullptr) {
    const char* const why = dlerror();  // NOLINT(concurrency-mt-unsafe): per thread in glibc
    throw BadInput("engine " + name + " is in a Tessera module that cannot be loaded: " +
                       (why != nullptr ? why : TESSERA_BASELINES_FILE),
                   "install " TESSERA_BASELINES_FILE
                   " with its dependencies; every complete engine takes the same problems");
  }
  return std::unique_ptr<engine::PlacementEngine>(reinterpret_cast<MakeEngine*>(make)());
}

}  // namespace

std::unique_ptr<engine::PlacementEngine> make_ilp_engine() {
  return load("ilp", make_ilp_symbol);
}

std::unique_ptr<engine::PlacementEngine> make_cp_engine() {
  return load("cp", make_cp_symbol);
}

}  // namespace tessera::baselines
