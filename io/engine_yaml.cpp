#include "io/engine_yaml.h"

#include <algorithm>

#include "io/network_yaml.h"
#include "io/text.h"
#include "io/units.h"
#include "tessera/hardware_check.h"
#include "tessera/network.h"

namespace tessera::io {
namespace {

class EngineReader {
 public:
  explicit EngineReader(const Sources& sources) : sources_(sources) {}

  template <typename Read>
  [[nodiscard]] auto read_map(const Node& node, std::string_view what, Read read) const {
    std::vector<std::pair<std::string, decltype(read(node))>> map;
    for (const Node& each : Fields(sources_, node, shown(what)).node().children) {
      map.emplace_back(each.key, read(each));
    }
    return map;
  }

  [[nodiscard]] Engine read(const Node& node) const {
    Fields fields(sources_, node, "engine " + shown(node.key));
    Engine engine;
    engine.name = node.key;
    engine.kind = static_cast<EngineKind>(
        as_one_of(sources_, fields.need("kind"), "kind", {"mac_array", "vector"}));
    if (const Node* n = fields.find("energy"))
      engine.energy_pj = as_quantity(sources_, *n, "energy", parse_energy);
    if (const Node* n = fields.find("dtype")) {
      engine.dtype = as_text(sources_, *n, "dtype");
      check_dtype(*n, engine.dtype);
    }
    if (const Node* n = fields.find("dtype_factor")) {
      engine.dtype_factor = read_map(*n, "dtype_factor", [&](const Node& each) {
        check_dtype(each, each.key);
        return factor(each, "dtype_factor");
      });
    }
    if (const Node* n = fields.find("memories")) engine.reach = read_reach(*n);
    if (const Node* n = fields.find("queue")) {
      engine.queue = as_text(sources_, *n, "queue");
      if (engine.queue.empty())
        throw sources_.error(*n, "`queue` has no name", "remove it for a separate queue");
    }
    if (const Node* n = fields.find("unfused"))
      engine.unfused_output_cycles = factor(*n, "unfused");
    if (engine.kind == EngineKind::mac_array)
      read_array(node, fields, engine);
    else
      read_vector(fields, engine);
    fields.finish();
    return engine;
  }

 private:
  /// One list for all operands, or one list per operand.
  [[nodiscard]] Reach read_reach(const Node& node) const {
    const auto names = [&](const Node& list, std::string_view what) {
      std::vector<std::string> found;
      for (const Node& each : as_list(sources_, list, what))
        found.push_back(as_text(sources_, each, what));
      if (found.empty())
        throw sources_.error_at_key(list, shown(what) + " names no memory",
                                    "remove it if the engine reaches all memories");
      return found;
    };
    Reach reach;
    if (node.kind == Node::Kind::list) {
      reach.input = names(node, "memories");
      reach.weights = reach.output = reach.input;
      return reach;
    }
    Fields fields(sources_, node, "`memories`");
    if (const Node* n = fields.find("input")) reach.input = names(*n, "input");
    if (const Node* n = fields.find("weights")) reach.weights = names(*n, "weights");
    if (const Node* n = fields.find("output")) reach.output = names(*n, "output");
    fields.finish();
    return reach;
  }

  void read_array(const Node& node, Fields& fields, Engine& engine) const {
    const Node* unroll = fields.find("unroll");
    const Node* maps = fields.find("maps");
    if (unroll == nullptr && maps == nullptr)
      throw sources_.error_at_key(node, fields.what() + " has neither `unroll` nor `maps`",
                                  "`unroll: {C: 16, K: 16}` is an array of 16 x 16 cells; `maps` "
                                  "has an `unroll` per kind of op");
    if (unroll != nullptr && maps != nullptr)
      throw sources_.error_at_key(*unroll, fields.what() + " has both `unroll` and `maps`",
                                  "set `unroll` in each map");
    if (unroll != nullptr) engine.unroll = read_loops(*unroll, "unroll");
    if (maps != nullptr)
      for (const Node& each : Fields(sources_, *maps, "`maps`").node().children)
        engine.maps.push_back(read_mapping(each));
    if (const Node* n = fields.find("blocks")) engine.blocks = read_blocks(*n);
    if (const Node* n = fields.find("cores"))
      engine.cores = as_whole(sources_, *n, "cores", 1, hardware_limits::parallel);
    if (const Node* n = fields.find("output"))
      read_rates(*n, "output", engine.output_cycles, engine.output_of, true);
    if (const Node* n = fields.find("channel_cycles"))
      read_rates(*n, "channel_cycles", engine.channel_cycles, engine.channel_of);
    if (const Node* n = fields.find("fill")) engine.fill = cycles(*n, "fill");
  }

  void read_vector(Fields& fields, Engine& engine) const {
    engine.lanes = as_whole(sources_, fields.need("lanes"), "lanes", 1, hardware_limits::parallel);
    if (const Node* n = fields.find("startup")) engine.startup = cycles(*n, "startup");
    if (const Node* n = fields.find("channels"))
      engine.channels = as_whole(sources_, *n, "channels", 1, hardware_limits::parallel);
    if (const Node* n = fields.find("cycles_per_vector"))
      read_rates(*n, "cycles_per_vector", engine.default_cycles_per_vector,
                 engine.cycles_per_vector, true);
  }

  [[nodiscard]] Mapping read_mapping(const Node& node) const {
    Fields fields(sources_, node, "map " + shown(node.key));
    Mapping mapping;
    mapping.name = node.key;
    const Node& ops = fields.need("ops");
    for (const Node& each : as_list(sources_, ops, "ops")) {
      const std::string& name = as_text(sources_, each, "ops");
      if (!is_mapped_op(name)) throw no_kind(each, name, {});
      mapping.ops.push_back(name);
    }
    if (mapping.ops.empty()) throw sources_.error_at_key(ops, fields.what() + " names no ops");
    mapping.unroll = read_loops(fields.need("unroll"), "unroll");
    if (const Node* n = fields.find("at_least")) mapping.at_least = read_loops(*n, "at_least");
    if (const Node* n = fields.find("cycles")) mapping.cycles = factor(*n, "cycles");
    if (const Node* n = fields.find("stationary"))
      mapping.stationary = static_cast<StationaryOperand>(
          as_one_of(sources_, *n, "stationary", {"weights", "inputs", "outputs"}));
    if (const Node* n = fields.find("least")) mapping.least = cycles(*n, "least");
    if (const Node* n = fields.find("start")) mapping.start = cycles(*n, "start");
    if (const Node* n = fields.find("input_depth"))
      mapping.input_depth = as_whole(sources_, *n, "input_depth", 1, hardware_limits::parallel);
    if (const Node* n = fields.find("pass_depth"))
      mapping.pass_depth = as_whole(sources_, *n, "pass_depth", 1, hardware_limits::parallel);
    if (const Node* n = fields.find("wait")) mapping.wait = cycles(*n, "wait");
    if (const Node* n = fields.find("folds_columns"))
      mapping.folds_columns = as_one_of(sources_, *n, "folds_columns", {"false", "true"}) == 1;
    if (const Node* n = fields.find("spreads_input"))
      mapping.spreads_input = as_one_of(sources_, *n, "spreads_input", {"false", "true"}) == 1;
    fields.finish();
    return mapping;
  }

  [[nodiscard]] BlockRule read_blocks(const Node& node) const {
    Fields fields(sources_, node, "`blocks`");
    BlockRule blocks;
    blocks.buffer = as_size(sources_, fields.need("buffer"), "buffer", 1);
    if (const Node* n = fields.find("sum_buffer"))
      blocks.sum_buffer = as_size(sources_, *n, "sum_buffer", 1);
    blocks.most = read_loops(fields.need("most"), "most");
    const auto whole = [&](std::string_view key, std::int64_t& to, std::int64_t least) {
      if (const Node* n = fields.find(key))
        to = as_whole(sources_, *n, key, least, hardware_limits::parallel);
    };
    const auto size = [&](std::string_view key, Size& to) {
      if (const Node* n = fields.find(key)) to = as_size(sources_, *n, key, 1);
    };
    whole("depth_step", blocks.depth_step, 1);
    whole("channels", blocks.channels, 1);
    size("input_granule", blocks.input_granule);
    size("sum_bytes", blocks.sum_bytes);
    size("sum_granule", blocks.sum_granule);
    whole("stages", blocks.stages, 1);
    if (const Node* n = fields.find("equal"))
      blocks.equal =
          static_cast<EqualBlocks>(as_one_of(sources_, *n, "equal", {"quickest", "first"}));
    whole("small", blocks.small, 1);
    if (const Node* n = fields.find("partial"))
      blocks.partial = static_cast<PartialBlocks>(
          as_one_of(sources_, *n, "partial", {"real", "whole", "share"}));
    if (const Node* n = fields.find("transfers"))
      blocks.transfers = static_cast<BlockTransfers>(
          as_one_of(sources_, *n, "transfers", {"in_turn", "overlapped"}));
    fields.finish();
    return blocks;
  }

  [[nodiscard]] LoopCounts read_loops(const Node& node, std::string_view what) const {
    return read_map(node, what, [&](const Node& each) {
      constexpr std::string_view dimensions = "NCKHWRSGT";
      if (each.key.size() != 1 || dimensions.find(each.key) == dimensions.npos) {
        throw sources_.error_at_key(each, shown(each.key) + " is not a dimension",
                                    "dimensions are N, C, K, H, W, R, S, G and T");
      }
      return as_whole(sources_, each, what, 1, hardware_limits::parallel);
    });
  }

  /// One number for all ops, or a default and numbers for kinds of ops. `functions`: kinds include
  /// functions of ops, and names that a map refers to.
  void read_rates(const Node& node, std::string_view what, double& otherwise,
                  std::vector<std::pair<std::string, double>>& of, bool functions = false) const {
    if (node.kind != Node::Kind::map) {
      otherwise = factor(node, what);
      return;
    }
    for (const Node& each : node.children) {
      const double value = factor(each, what);
      if (each.key == "default")
        otherwise = value;
      else
        of.emplace_back(each.key, value);
      if (each.key == "default") continue;
      if (functions ? !is_function(each.key) : !is_mapped_op(each.key))
        throw no_kind(each, each.key, functions ? elementwise_functions() : Words{});
    }
  }

  using Words = std::vector<std::string_view>;
  /// A kind of op in network files, a function of network files or ONNX, or a type of another
  /// framework.
  [[nodiscard]] static bool is_function(std::string_view name) {
    constexpr std::string_view others[] = {
        "acos",      "acosh",          "asin",        "asinh",      "atan",      "atanh",
        "bernoulli", "bitshift",       "bitwiseand",  "bitwisenot", "bitwiseor", "bitwisexor",
        "castlike",  "celu",           "cosh",        "eyelike",    "isinf",     "isnan",
        "mean",      "greaterorequal", "lessorequal", "shrink",     "sinh",      "sum",
        "tan",       "prod",           "l1",          "l2",         "logsum",    "logsumexp",
        "sumsquare", "thresholdedrelu"};
    const Words& functions = elementwise_functions();
    return op_kind_from(name).has_value() ||
           std::find(functions.begin(), functions.end(), name) != functions.end() ||
           std::find(std::begin(others), std::end(others), name) != std::end(others) ||
           (!name.empty() && name.front() >= 'A' && name.front() <= 'Z');
  }
  [[nodiscard]] InputError no_kind(const Node& node, std::string_view name, Words known) const {
    const bool functions = !known.empty();
    for (const char* each : {"conv", "grouped", "depthwise", "fc", "matmul", "pool"})
      if (!functions || std::string_view(each) == "conv") known.emplace_back(each);
    for (int k = 0; k <= static_cast<int>(OpKind::opaque); ++k)
      known.push_back(to_string(static_cast<OpKind>(k)));
    const std::string_view close = closest_word(name, known);
    return sources_.error_at_key(
        node, shown(name) + " is not a kind of op",
        close.empty()
            ? functions
                  ? "use a kind of a network file (max_pool, softmax) or a function (add, relu)"
                  : "kinds are " + mapped_ops_text()
            : "did you mean `" + std::string(close) + "`?");
  }

  void check_dtype(const Node& at, const std::string& name) const {
    static constexpr std::string_view known[] = {
        "int4",   "uint4",   "int8",     "uint8",   "int16",  "uint16", "int32",
        "uint32", "int64",   "uint64",   "fp8",     "fp16",   "bf16",   "fp32",
        "fp64",   "float16", "bfloat16", "float32", "float64"};
    if (std::find(std::begin(known), std::end(known), name) != std::end(known)) return;
    throw sources_.error(at, shown(name) + " is not a data type",
                         "data types are int8, uint8, int16, int32, fp16, bf16, fp32 and the like");
  }

  [[nodiscard]] double factor(const Node& node, std::string_view what) const {
    const double value = as_real(sources_, node, what);
    if (value <= 0) throw sources_.error(node, shown(what) + " must be more than zero");
    return value;
  }
  [[nodiscard]] std::int64_t cycles(const Node& node, std::string_view what) const {
    return as_whole(sources_, node, what, 0, hardware_limits::cycles);
  }

  const Sources& sources_;
};

}  // namespace

Engine read_engine(const Sources& sources, const Node& node) {
  return EngineReader(sources).read(node);
}

}  // namespace tessera::io
