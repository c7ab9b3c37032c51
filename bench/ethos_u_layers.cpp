// Prices each layer of the estimates of Arm's compiler (Vela 5.1) on that compiler's own schedule:
// its block shapes, its order, and operands where it put them.
//
//   bench_ethos_u_layers ../shared/benchmarks/ethos-u-5.1/estimates [--differences]
//
// One row per class of layers and configuration: the share of layers whose compute cycles are
// within 2 % of the estimate, whose cycles with all memory traffic are within 5 %, and the ratio of
// the sums. The estimates' own figures are used for what a network or plan here cannot state: bytes
// of encoded weights, the rates of weights and scales read directly from off-chip memory, and the
// layout of an off-chip tensor (the closer one of the two). Layers with 2:4 sparse weights are
// omitted.
// `--differences` prints the layers outside these limits.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cost/compute.h"
#include "cost/group_parts.h"
#include "cost/mapping.h"
#include "tessera/files.h"
#include "tests/support/one_op.h"

namespace {

using namespace tessera;
using Json = nlohmann::json;

const std::map<std::string, const char*> profiles{
    {"u55-128", "ethos-u55-128-v5"},
    {"u55-256", "ethos-u55-256-v5"},
    {"u65-256", "ethos-u65-256-v5"},
    {"u65-512", "ethos-u65-512-v5"},
    {"u65-512-cs", "ethos-u65-512-client-server-v5"},
    {"u85-256", "ethos-u85-256"},
    {"u85-512", "ethos-u85-512"},
    {"u85-1024", "ethos-u85-1024"},
    {"u85-2048", "ethos-u85-2048"},
};
const std::map<std::string, std::string> classes{
    {"Conv2D", "conv"},       {"DepthwiseConv2D", "depthwise"},
    {"FullyConnected", "fc"}, {"MaxPool", "pool"},
    {"AvgPool", "pool"},      {"Add", "elementwise"},
    {"Sub", "elementwise"},   {"Mul", "elementwise"}};

std::string class_of(const Json& layer) {
  const auto found = classes.find(layer["npu_op"].get<std::string>());
  return found == classes.end() ? "" : found->second;
}

/// N, H, W, C of a shape with fewer axes.
std::array<Dim, 4> nhwc(const Json& shape) {
  std::array<Dim, 4> all{1, 1, 1, 1};
  const std::size_t rank = std::min<std::size_t>(shape.size(), 4);
  for (std::size_t a = 0; a < rank; ++a) all[4 - rank + a] = shape[shape.size() - rank + a];
  return all;
}

/// A run of the estimates: its machine, and its layers by operation.
struct Run {
  const Json& json;
  std::string off_chip;  ///< name of the off-chip memory
  Hardware hardware;
  const HardwareMemory* sram = nullptr;
  const HardwareMemory* dram = nullptr;
  std::map<int, std::vector<const Json*>> chained;
  std::map<std::string, int> makers;  ///< layers that write slices of one tensor
};

void read_run(Run& run, const char* profile) {
  run.hardware = load_profile(profile);
  for (const HardwareMemory& memory : run.hardware.memories)
    (memory.offchip ? run.dram : run.sram) = &memory;
  for (const auto& [name, memory] : run.json["system"]["memories"].items())
    if (name != "Sram") run.off_chip = name;
  for (const Json& layer : run.json["layers"]) {
    if (layer.contains("chained_into"))
      run.chained[layer["chained_into"]].push_back(&layer);
    else
      ++run.makers[layer["name"]];
  }
}

double bytes(const Json& layer, const std::string& what) {
  return layer["bytes"].value(what, 0.0);
}

testing::One network_of(const Run& run, const Json& layer, const std::string& kind) {
  const std::array<Dim, 4> in = nhwc(layer["ifm"]);
  std::array<Dim, 4> out = nhwc(layer["ofm"]);
  const auto pair = [&](const char* key) {
    return layer.contains(key) ? std::vector<Dim>{layer[key][0], layer[key][1]}
                               : std::vector<Dim>{1, 1};
  };
  std::vector<Dim> kernel = pair("kernel");
  if (kind == "fc") kernel = {1, 1};
  // A concatenated tensor is listed as a whole: the multiply-accumulates tell the slice.
  if (kind == "conv" && run.makers.at(layer["name"]) > 1)
    out[3] = layer["macs"].get<Dim>() / (out[1] * out[2] * in[3] * kernel[0] * kernel[1]);
  testing::One one;
  Op op;
  op.inputs = {one.tensor({in[0], in[3], in[1], in[2]})};
  op.stride = pair("stride");
  op.dilation = pair("dilation");
  if (kind == "elementwise") {
    op.kind = OpKind::elementwise;
    op.function = "add";
    op.inputs.push_back(op.inputs[0]);
  } else if (kind == "pool") {
    op.kind = layer["npu_op"] == "MaxPool" ? OpKind::max_pool : OpKind::average_pool;
    op.kernel = kernel;
  } else {
    op.kind = OpKind::conv;
    op.groups = kind == "depthwise" ? in[3] : 1;
    op.inputs.push_back(one.tensor({out[3], kind == "depthwise" ? 1 : in[3], kernel[0], kernel[1]},
                                   TensorKind::weight));
  }
  op.outputs = {one.tensor({out[0], out[3], out[1], out[2]})};
  one.net.ops = {op};
  return one;
}

/// The map with the traversal and the micro-block of the estimate; the only one of its traversal if
/// the estimate names no micro-block.
std::optional<std::size_t> map_of(const Json& layer, const Engine& engine, std::string_view name) {
  const Json& block = layer["block"];
  const bool part_kernel = block["traversal"] == "PartKernel";
  const auto by = [](const Mapping& mapping, std::string_view loop) {
    for (const auto& [of, count] : mapping.unroll)
      if (of == loop) return count;
    return std::int64_t{1};
  };
  for (std::size_t m = 0; m < engine.maps.size(); ++m) {
    const Mapping& mapping = engine.maps[m];
    if (!tiling::carries(mapping, name)) continue;
    const bool taps = by(mapping, "T") > 1;
    if (name != "depthwise" && name != "pool" && taps != part_kernel) continue;
    const Json& micro = block["ofm_ublock"];
    if (micro.is_null() || (by(mapping, "H") == micro[1] && by(mapping, "W") == micro[2] &&
                            by(mapping, "K") == micro[3]))
      return m;
  }
  return std::nullopt;
}

struct Priced {
  double compute = 0;
  double input = 0, output = 0;  ///< bytes of feature maps
  std::int64_t slices = 1;       ///< parts in which the weights may arrive
};

/// Bytes on the bus over bytes, for an off-chip tensor whose channels are contiguous. Its layout
/// is one that plans here have only for inputs and results of the network: the U85 moves the
/// channels of a block at a time.
double pixel_share(const Run& run, const Json& layer, bool read) {
  const Size burst = run.dram->burst;
  const Dim channels = layer[read ? "ifm" : "ofm"].back();
  Size together = std::max<Size>(channels, run.dram->direct_run);
  if (const Json& system = run.json["system"]; system.contains("channel_bytes_per_cycle")) {
    const Json& block = layer["block"][read ? "ifm" : "ofm"];
    const Size depth = block[3];
    const Size decoders = system["cores"];
    together = read ? depth * (channels == depth ? block[2].get<Size>() : 1)
                    : std::min({Size{64}, 16 * decoders, depth});
  }
  return static_cast<double>(burst) / static_cast<double>(std::min(burst, together));
}
/// The layout that is closer to the estimate's bytes: bricks or pixels. 0: on-chip.
double share_of(const Run& run, const Json& layer, bool read, double ours) {
  const double theirs =
      bytes(layer, run.off_chip + (read ? ".FeatureMap.Read" : ".FeatureMap.Write"));
  if (theirs <= 0) return 0;
  const double pixels = pixel_share(run, layer, read);
  if (theirs > ours * std::sqrt(pixels)) return pixels;
  const Dim channels = layer[read ? "ifm" : "ofm"].back();
  const Dim brick = run.dram->layout.brick;
  return static_cast<double>((channels + brick - 1) / brick * brick) /
         static_cast<double>(channels);
}

std::optional<Priced> compute_of(const Run& run, const Json& layer, const std::string& kind) {
  const testing::One one = network_of(run, layer, kind);
  Op op = one.net.ops[0];
  const std::vector<Dim>& made = one.net.tensors[op.outputs[0]].shape;
  Priced priced;
  priced.output =
      static_cast<double>(std::accumulate(made.begin(), made.end(), Dim{1}, std::multiplies<>{}));
  int chain = 0;  // elementwise ops in the same operation
  if (const auto others = run.chained.find(layer["id"]); others != run.chained.end()) {
    for (const Json* other : others->second) {
      if (class_of(*other).empty())
        op.fused.push_back({.function = "relu", .operands = {}});
      else
        ++chain;
    }
  }
  if (kind == "elementwise") {
    priced.compute =
        static_cast<double>(cost::compute_cost(one.net, op, made, run.hardware).cycles);
    priced.input = priced.output * (layer.contains("ifm2") ? 2 : 1);
    return priced;
  }
  const tiling::OpLoops loops = tiling::loops_of(one.net, op, made);
  Engine engine = run.hardware.engines[0];
  engine.output_cycles += chain * run.hardware.engines[1].default_cycles_per_vector;
  // 10 bytes of scale and bias per channel, from the memory that the estimate reads them from.
  const bool scales_off_chip = bytes(layer, run.off_chip + ".Scales.Read") > 0;
  engine.channel_cycles =
      10 * static_cast<double>((scales_off_chip ? run.dram : run.sram)->latency) / 256;
  engine.channel_of.clear();
  const auto map = map_of(layer, engine, tiling::carried_name(op, loops, engine));
  if (!map) return std::nullopt;
  const Json& block = layer["block"];
  const cost::BlockShape shape{.channels = block["ofm"][3],
                               .rows = block["ofm"][1],
                               .columns = block["ofm"][2],
                               .input_rows = block["ifm"][1],
                               .input_columns = block["ifm"][2]};
  const auto cost_with = [&](cost::OffChipOperands off_chip) {
    return cost::array_cost_of_block(op, loops, engine, cost::port_of(run.hardware, off_chip), *map,
                                     shape);
  };
  const double input = cost_with({}).input_bytes;
  // The estimator prices the first tensor of a chain, which no memory holds, as an off-chip one.
  const cost::ArrayCost cost =
      cost_with({.input = share_of(run, layer, true, input),
                 .output = chain > 0 ? 1 : share_of(run, layer, false, priced.output)});
  priced.compute = cost.cycles;
  priced.input = cost.input_bytes;
  priced.slices = (made[1] + shape.channels - 1) / shape.channels;
  return priced;
}

/// Cycles of the traffic of one memory. `all_scales`: the off-chip memory also pays for those in
/// the staging buffer.
double access_cycles(const Run& run, const Json& layer, const Priced& priced, bool off_chip,
                     bool all_scales) {
  const std::string name = off_chip ? run.off_chip : "Sram";
  const HardwareMemory& memory = off_chip ? *run.dram : *run.sram;
  const double clock = run.hardware.clock_hz;
  double input = bytes(layer, name + ".FeatureMap.Read") > 0 ? priced.input : 0;
  double output = bytes(layer, name + ".FeatureMap.Write") > 0 ? priced.output : 0;
  double scales = bytes(layer, name + ".Scales.Read");
  if (off_chip && all_scales) scales += bytes(layer, "Sram.Scales.Read");
  const double weights = bytes(layer, name + ".Weights.Read");
  double direct = 0;
  if (off_chip) {
    input *= share_of(run, layer, true, input);
    output *= share_of(run, layer, false, output);
    const Json& system = run.json["system"];
    if (system.contains("channel_bytes_per_cycle")) {
      const Json& rates = system["channel_bytes_per_cycle"][name];
      direct = scales / rates["scale"].get<double>();
      // Buffered weights wait for the DMA instead: with_dma().
      if (bytes(layer, "Sram.Weights.Write") <= 0)
        direct = std::max(direct, weights / rates["weight"].get<double>());
    }
  }
  return std::max(
      {direct, cost::serving_cycles(memory, clock, input + weights + scales, output),
       cost::rated_cycles(memory, clock,
                          {.input = input, .weights = off_chip ? 0 : weights, .output = output})});
}

/// Cycles of the layer with its weights' DMA, of which the layer before hides `hidden`: the op
/// waits for the first slice, and ends after the last.
double with_dma(const Run& run, const Json& layer, const Priced& priced, double hidden) {
  const double weights = bytes(layer, "Sram.Weights.Write");
  if (weights <= 0) return priced.compute;
  const cost::Link link = cost::links_of(run.hardware).weights;
  const auto cycles = [&](double moved) {
    const auto bursts =
        static_cast<std::int64_t>(std::ceil(moved / static_cast<double>(link.burst)));
    return static_cast<double>(
        cost::transfer_cost({.bursts = bursts, .bytes = bursts * link.burst, .rows = 1}, link, true)
            .cycles);
  };
  const double first = cycles(weights / static_cast<double>(priced.slices));
  return std::max(priced.compute + std::max(0.0, first - hidden), cycles(weights) - hidden);
}

struct Row {
  int layers = 0, computed = 0, near_compute = 0, near_total = 0;
  double ours = 0, theirs = 0;
};
struct Result {
  std::map<std::pair<std::string, std::string>, Row> rows;
  /// Logarithms of the networks' ratios by configuration; the second one with the scales of
  /// buffered weights billed to off-chip memory, as the estimator does.
  std::map<std::string, std::vector<std::array<double, 2>>> ratios;
  int without_map = 0, mixed = 0, sparse = 0;
  bool differences = false;
};

bool within(double ours, double theirs, double share) {
  return std::abs(ours - theirs) <= std::max(1.0, share * theirs);
}

/// Has no counterpart here: an operand in two memories, or sparse weights.
bool omitted(const Run& run, const Json& layer, const std::string& kind, Result& result) {
  for (const char* way : {".FeatureMap.Read", ".FeatureMap.Write"})
    if (bytes(layer, run.off_chip + way) > 0 && bytes(layer, std::string("Sram") + way) > 0) {
      ++result.mixed;
      return true;
    }
  if (kind != "conv" || run.makers.at(layer["name"]) > 1) return false;
  const std::array<Dim, 4> in = nhwc(layer["ifm"]);
  const std::array<Dim, 4> out = nhwc(layer["ofm"]);
  Dim macs = in[3] * out[1] * out[2] * out[3];
  if (layer.contains("kernel"))
    macs *= layer["kernel"][0].get<Dim>() * layer["kernel"][1].get<Dim>();
  if (layer["macs"].get<Dim>() * 4 > macs * 3) return false;
  ++result.sparse;
  return true;
}

struct Compared {
  double ours = 0, theirs = 0;
  double ours_with_scales = 0, theirs_with_scales = 0;
};

void compare(const Run& run, const Json& layer, const std::string& network, double& before,
             Compared& sums, Result& result) {
  const std::string kind = class_of(layer);
  const Json& cycles = layer["cycles"];
  const double hidden = before;
  before = cycles["npu"];
  if (kind.empty() || layer["source_op"] == "TransposeConv2D" || layer["source_op"] == "Softmax")
    return;
  if (omitted(run, layer, kind, result)) return;
  const std::optional<Priced> priced = compute_of(run, layer, kind);
  if (!priced) {
    ++result.without_map;
    return;
  }
  const auto cycles_with = [&](bool all_scales) {
    return std::max({with_dma(run, layer, *priced, hidden),
                     access_cycles(run, layer, *priced, false, all_scales),
                     access_cycles(run, layer, *priced, true, all_scales)});
  };
  const double total = cycles_with(false);
  const double theirs = cycles.value("total_scales_from_staging", cycles["total"].get<double>());
  sums.ours_with_scales += cycles_with(true);
  sums.theirs_with_scales += cycles["total"].get<double>();
  Row& row = result.rows[{kind, run.json["config"]}];
  ++row.layers;
  row.ours += total;
  row.theirs += theirs;
  sums.ours += total;
  sums.theirs += theirs;
  const bool near = within(total, theirs, 0.05);
  row.near_total += near ? 1 : 0;
  const double compute = layer["compute"].value("op_cycles", 0.0);
  const bool near_compute = compute <= 0 || within(priced->compute, compute, 0.02);
  if (compute > 0) {
    ++row.computed;
    row.near_compute += near_compute ? 1 : 0;
  }
  if (result.differences && !(near && near_compute))
    std::printf("%s %s %s: compute %.0f / %.0f, total %.0f / %.0f, npu %.0f (%s)\n",
                network.c_str(), run.json["config"].get<std::string>().c_str(), kind.c_str(),
                priced->compute, compute, total, theirs, cycles["npu"].get<double>(),
                layer.dump().c_str());
}

void compare_run(const Json& json, const std::string& network, Result& result) {
  const auto profile = profiles.find(json["config"].get<std::string>());
  if (profile == profiles.end() || json["variant"] != "performance" || !json.contains("layers"))
    return;
  Run run{.json = json, .off_chip = {}, .hardware = {}, .chained = {}, .makers = {}};
  read_run(run, profile->second);
  Compared sums;
  double before = 0;
  for (const Json& layer : json["layers"])
    if (!layer.contains("chained_into") && layer.contains("compute"))
      compare(run, layer, network, before, sums, result);
  if (sums.theirs > 0)
    result.ratios[profile->first].push_back(
        {std::log(sums.ours / sums.theirs),
         std::log(sums.ours_with_scales / sums.theirs_with_scales)});
}

void print(const Result& result) {
  std::puts(
      "| class | configuration | layers | compute within 2 % | total within 5 % | ours / theirs |");
  std::puts("|---|---|---:|---:|---:|---:|");
  const auto percent = [](int part, int whole) { return whole > 0 ? 100.0 * part / whole : 0; };
  std::map<std::string, Row> all;
  for (const auto& [key, row] : result.rows) {
    std::printf("| %s | %s | %d | %.1f %% of %d | %.1f %% | %.3f |\n", key.first.c_str(),
                key.second.c_str(), row.layers, percent(row.near_compute, row.computed),
                row.computed, percent(row.near_total, row.layers), row.ours / row.theirs);
    Row& sum = all[key.second];
    sum.layers += row.layers;
    sum.computed += row.computed;
    sum.near_compute += row.near_compute;
    sum.near_total += row.near_total;
  }
  for (const auto& [config, row] : all) {
    std::array<double, 2> mean{};
    const auto& ratios = result.ratios.at(config);
    for (const auto& ratio : ratios)
      for (std::size_t k = 0; k < 2; ++k) mean[k] += ratio[k] / static_cast<double>(ratios.size());
    std::printf(
        "%s: compute within 2 %% in %.1f %%, total within 5 %% in %.1f %%, networks %.3f, "
        "with the estimator's scales %.3f\n",
        config.c_str(), percent(row.near_compute, row.computed),
        percent(row.near_total, row.layers), std::exp(mean[0]), std::exp(mean[1]));
  }
  std::printf(
      "omitted: %d layers without a map of their micro-block, %d with an operand in two "
      "memories, %d with sparse weights\n",
      result.without_map, result.mixed, result.sparse);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: bench_ethos_u_layers FOLDER [--differences]\n", stderr);
    return 2;
  }
  Result result;
  result.differences = count > 2;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1]))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  for (const std::filesystem::path& file : files) {
    std::ifstream stream(file);
    for (const Json& run : Json::parse(stream)) compare_run(run, file.stem().string(), result);
  }
  print(result);
}
