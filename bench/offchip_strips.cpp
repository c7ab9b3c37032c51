// Off-chip placement if every op runs alone in strips of equal height, the fixed tiles in the
// publication of tile-aware allocation. Writes the problem for `place`.
//
//   bench_offchip_strips fsrcnn_x2_360p.onnx 16 > question.yaml
//   bench_offchip_strips fsrcnn_x2_360p.onnx 16 NCHW32c > question.yaml

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "model/stored.h"
#include "planner/offchip.h"
#include "tessera/files.h"
#include "tessera/import.h"
#include "tiling/geometry.h"
#include "tiling/subgraph.h"

namespace {

using namespace tessera;

constexpr std::size_t height_axis = static_cast<std::size_t>(tiling::TileAxis::height);

PlannedSubgraph in_strips(const Network& network, OpIndex op, Dim strips) {
  PlannedSubgraph planned;
  planned.ops = {op, op};
  const tiling::Subgraph part = tiling::make_subgraph(network, planned.ops);
  tiling::TileGeometry geometry(part, HaloPolicy::recompute);
  tiling::TileShape shape = geometry.space().whole;
  if (geometry.space().axis[height_axis])
    shape.extent[height_axis] = std::max<Dim>(1, (shape.extent[height_axis] + strips - 1) / strips);
  planned.extent = shape.extent;
  planned.counts = geometry.grid(shape).counts;
  return planned;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_offchip_strips NETWORK STRIPS [LAYOUT]\n");
    return 0;  // `./dev bench` runs every program without arguments
  }
  try {
    const Network network = read_network(argv[1], {.dtype = ElementType::int8}).network;
    Hardware machine;
    machine.memories.push_back({.space = {.name = "dram"}, .offchip = true});
    if (argc > 3) {
      const std::optional<Layout> layout = layout_from(argv[3]);
      if (!layout) throw std::runtime_error(std::string(argv[3]) + " is not a layout");
      machine.memories.back().layout = *layout;
    }
    std::vector<PlannedSubgraph> runs;
    for (OpIndex op = 0; op < network.ops.size(); ++op)
      runs.push_back(in_strips(network, op, std::max(1, std::atoi(argv[2]))));
    std::fputs(problem_yaml(planner::offchip_question(network, machine, runs, {})).c_str(), stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
