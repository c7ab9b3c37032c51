// How runs are cut into tiles, kept as long as there is room. Private to planner/.
//
//   GeometryStore store;
//   if (auto run = store.find(structure)) use(*run);   // or make one, and then:
//   store.keep(structure, run);
//
// A geometry remembers what it found of every shape it was asked about, which takes longer to find
// than to read, but is found again: a network of a hundred ops would keep gigabytes. What was not
// used for longest goes first. Thread-safe; whoever holds a geometry may go on with it.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace tessera::planner {

struct RunGeometry;

class GeometryStore {
 public:
  explicit GeometryStore(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  /// Nothing if none is kept.
  [[nodiscard]] std::shared_ptr<RunGeometry> find(const std::string& structure);
  /// require: the caller holds the run's lock. Called again after more was asked of it.
  void keep(const std::string& structure, const std::shared_ptr<RunGeometry>& run);
  void clear();

 private:
  struct Kept {
    std::string structure;
    std::shared_ptr<RunGeometry> run;
    std::size_t bytes = 0;
  };
  void drop_oldest();

  std::size_t most_bytes_;
  std::mutex lock_;
  std::size_t bytes_ = 0;
  std::list<Kept> kept_;  ///< the last used one first
  std::unordered_map<std::string, std::list<Kept>::iterator> at_;
};

}  // namespace tessera::planner
