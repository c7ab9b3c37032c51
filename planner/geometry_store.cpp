#include "planner/geometry_store.h"

#include "planner/plan_memory.h"

namespace tessera::planner {
namespace {

std::size_t held(const RunGeometry& run) {
  std::size_t bytes = sizeof(RunGeometry);
  for (const tiling::LocalTensor& tensor : run.part.tensors)
    bytes += sizeof(tensor) + sizeof(std::size_t) * tensor.consumers.size();
  for (const auto& [halo, geometry] : run.of_halo) bytes += geometry.held();
  for (const std::shared_ptr<RunGeometry>& copy : run.thread_copies) bytes += held(*copy);
  for (const auto& [parts, split] : run.reduced) bytes += held(*split);
  return bytes;
}

}  // namespace

std::shared_ptr<RunGeometry> GeometryStore::find(const std::string& structure) {
  const std::lock_guard guard(lock_);
  const auto known = at_.find(structure);
  if (known == at_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, known->second);
  return known->second->run;
}

void GeometryStore::keep(const std::string& structure, const std::shared_ptr<RunGeometry>& run) {
  const std::size_t bytes = held(*run);
  const std::lock_guard guard(lock_);
  const auto known = at_.find(structure);
  if (known == at_.end()) {
    kept_.push_front({structure, run, bytes});
    at_.emplace(structure, kept_.begin());
  } else {
    // Two threads may have made a geometry concurrently: the second one is dropped with its
    // results.
    if (known->second->run != run) return;
    bytes_ -= known->second->bytes;
    known->second->bytes = bytes;
    kept_.splice(kept_.begin(), kept_, known->second);
  }
  bytes_ += bytes;
  while (bytes_ > most_bytes_ && kept_.size() > 1) drop_oldest();
}

void GeometryStore::drop_oldest() {
  bytes_ -= kept_.back().bytes;
  at_.erase(kept_.back().structure);
  kept_.pop_back();
}

void GeometryStore::clear() {
  const std::lock_guard guard(lock_);
  kept_.clear();
  at_.clear();
  bytes_ = 0;
}

}  // namespace tessera::planner
