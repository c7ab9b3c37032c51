// Geometries of tiled groups, kept up to a memory limit. Private to planner/.
//
//   GeometryStore store;
//   if (auto run = store.find(structure)) use(*run);   // or make one, and then:
//   store.keep(structure, run);
//
// A geometry remembers its results for every shape queried. Recomputing a result takes longer than
// reading it, but a network of a hundred ops would keep gigabytes. The least recently used geometry
// is dropped first. A dropped geometry remains valid for its holders. Thread-safe.
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
  /// Null if none is kept.
  [[nodiscard]] std::shared_ptr<RunGeometry> find(const std::string& structure);
  /// require: the caller holds the run's lock. Call again when the geometry has grown.
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
  std::list<Kept> kept_;  ///< most recently used first
  std::unordered_map<std::string, std::list<Kept>::iterator> at_;
};

}  // namespace tessera::planner
