#include "io/sweep_yaml.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/profile_edit.h"
#include "io/tree.h"
#include "io/units.h"
#include "model/json_text.h"

namespace tessera::io {
namespace {

/// More values on one axis indicate an error in the file.
constexpr std::size_t most_values = 1'000'000;

/// `1.5 GHz` is 1.5 and ` GHz`.
struct Quantity {
  double number = 0;
  std::string_view unit;
};

std::optional<Quantity> quantity(std::string_view text) {
  Quantity q;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), q.number);
  if (error != std::errc{} || !std::isfinite(q.number)) return std::nullopt;
  q.unit = text.substr(static_cast<std::size_t>(end - text.data()));
  return q;
}

class SweepReader {
 public:
  SweepReader(const Sources& sources, SweepText& sweep) : sources_(sources), sweep_(sweep) {}

  void read(const Node& root) {
    Fields fields(sources_, root, "the sweep");
    require_kind(sources_, fields, "sweep/1");
    read_networks(fields.need("networks"));
    if (const Node* node = fields.find("dtype")) {
      sweep_.dtype = as_text(sources_, *node, "dtype");
      sweep_.dtype_line = node->line;
    }
    read_hardware(fields.need("hardware"));
    if (const Node* node = fields.find("objective")) read_objective(*node);
    if (const Node* node = fields.find("reference")) {
      sweep_.reference = as_text(sources_, *node, "reference");
      sweep_.reference_line = node->line;
    }
    if (const Node* node = fields.find("limits")) read_limits(*node);
    if (const Node* node = fields.find("effort")) read_effort(*node);
    if (const Node* node = fields.find("strategy")) read_strategy(*node);
    fields.take("prune", sweep_.prune);
    if (const Node* node = fields.find("modes")) read_modes(*node);
    fields.finish();
  }

 private:
  void read_networks(const Node& node) {
    for (const Node& each : as_list(sources_, node, "networks")) {
      SweepNetworkText network;
      network.line = each.line;
      if (each.is_scalar()) {
        network.file = as_text(sources_, each, "a network");
      } else {
        Fields fields(sources_, each, "a network");
        network.file = as_text(sources_, fields.need("file"), "file");
        fields.take("name", network.name);
        if (const Node* weight = fields.find("weight")) {
          network.weight = as_real(sources_, *weight, "weight");
          if (!(network.weight > 0))
            throw sources_.error(*weight,
                                 "the weight of a network is " + shown(weight->text) +
                                     ", but it must be more than 0",
                                 "remove the network to ignore it");
          if (network.weight > most_weight) throw too_heavy(*weight, "the weight of a network");
        }
        fields.finish();
      }
      sweep_.networks.push_back(std::move(network));
    }
    if (sweep_.networks.empty())
      throw sources_.error_at_key(node, "`networks` is empty", "add at least one: [resnet50.onnx]");
  }

  void read_hardware(const Node& node) {
    Fields fields(sources_, node, "`hardware`");
    const Node& base = fields.need("base");
    sweep_.base = as_text(sources_, base, "base");
    sweep_.base_line = base.line;
    if (const Node* vary = fields.find("vary"))
      for (const Node& each : Fields(sources_, *vary, "`vary`").node().children) read_axis(each);
    if (const Node* where = fields.find("where"))
      for (const Node& each : as_list(sources_, *where, "where"))
        sweep_.where.push_back({as_text(sources_, each, "a condition"), each.line});
    fields.finish();
  }

  void read_axis(const Node& node) {
    VaryText axis{.key = node.key, .values = {}, .line = node.key_line};
    if (node.kind == Node::Kind::map)
      axis.values = range(node);
    else
      for (const Node& value : as_list(sources_, node, node.key)) {
        std::string text = value.kind == Node::Kind::null ? "null" : profile_text(value);
        if (std::ranges::find(axis.values, text) != axis.values.end())
          throw sources_.error(value, shown(node.key) + " lists " + shown(text) + " twice");
        axis.values.push_back(std::move(text));
      }
    if (axis.values.empty())
      throw sources_.error_at_key(node, shown(node.key) + " has no values",
                                  "list values, as in [16 KiB, 32 KiB], or remove the key");
    sweep_.vary.push_back(std::move(axis));
  }

  /// from, to, and times or step.
  [[nodiscard]] std::vector<std::string> range(const Node& node) const {
    Fields fields(sources_, node, "the range of " + shown(node.key));
    const Node& from = fields.need("from");
    const Node& to = fields.need("to");
    const Node* const times = fields.find("times");
    const Node* const step = fields.find("step");
    fields.finish();
    if ((times == nullptr) == (step == nullptr))
      throw sources_.error_at_key(
          node, "the range of " + shown(node.key) + " needs either `times` or `step`",
          "for instance {from: 4, to: 16, times: 2} gives 4, 8, 16");
    const double factor = times != nullptr ? as_real(sources_, *times, "times") : 0;
    if (times != nullptr && !(factor > 1))
      throw sources_.error(*times, "`times` is " + shown(times->text) + ", but it must exceed 1");
    std::vector<std::string> values =
        whole_sizes(from, to, step) ? sizes(from, to, factor, step) : reals(from, to, factor, step);
    if (values.empty())
      throw sources_.error_at_key(node, "the range of " + shown(node.key) + " is empty: " +
                                            shown(from.text) + " is more than " + shown(to.text));
    return values;
  }

  [[nodiscard]] static bool whole_sizes(const Node& from, const Node& to, const Node* step) {
    return parse_size(from.text) && parse_size(to.text) &&
           (step == nullptr || parse_size(step->text));
  }

  void require_few(const Node& node, std::size_t count) const {
    if (count > most_values)
      throw sources_.error(node,
                           "the range has more than " + std::to_string(most_values) + " values");
  }

  /// Plain numbers stay plain, values with units keep a unit.
  [[nodiscard]] std::vector<std::string> sizes(const Node& from, const Node& to, double factor,
                                               const Node* step) const {
    const Size first = as_size(sources_, from, "from");
    const Size last = as_size(sources_, to, "to");
    const Size by = step != nullptr ? as_size(sources_, *step, "step", 1) : 0;
    if (step == nullptr && first == 0)
      throw sources_.error(from, "`times` cannot start at 0", "start at 1, or use `step`");
    const bool bare = static_cast<bool>(parse_whole(from.text));
    std::vector<std::string> values;
    for (Size at = first; at <= last;) {
      values.push_back(bare ? std::to_string(at) : format_size(at));
      require_few(from, values.size());
      if (step == nullptr) {
        const double next = std::round(static_cast<double>(at) * factor);
        if (next > static_cast<double>(last)) break;
        at = std::max(at + 1, static_cast<Size>(next));
      } else {
        if (by > last - at) break;
        at += by;
      }
    }
    return values;
  }

  [[nodiscard]] std::vector<std::string> reals(const Node& from, const Node& to, double factor,
                                               const Node* step) const {
    const std::optional<Quantity> first = quantity(as_text(sources_, from, "from"));
    const std::optional<Quantity> last = quantity(as_text(sources_, to, "to"));
    if (!first)
      throw sources_.error(from, "`from` is " + shown(from.text) + ", which is not a number");
    if (!last) throw sources_.error(to, "`to` is " + shown(to.text) + ", which is not a number");
    if (first->unit != last->unit)
      throw sources_.error(to, "`from` and `to` have different units: " + shown(from.text) +
                                   " and " + shown(to.text));
    double by = 0;
    if (step != nullptr) {
      const std::optional<Quantity> width = quantity(as_text(sources_, *step, "step"));
      if (!width || width->unit != first->unit || !(width->number > 0))
        throw sources_.error(*step, "`step` is " + shown(step->text) +
                                        ", but it must be more than 0, in the unit of `from`");
      by = width->number;
    } else if (!(first->number > 0)) {
      throw sources_.error(from, "a range with `times` must start above 0");
    }
    std::vector<std::string> values;
    // Computed from the first value, since repeated sums would drift.
    for (double count = 0;; ++count) {
      const double at =
          step != nullptr ? first->number + count * by : first->number * std::pow(factor, count);
      if (at > last->number * (1 + 1e-12)) break;
      char digits[40];
      const auto end =
          std::to_chars(digits, digits + sizeof digits, at, std::chars_format::general, 12).ptr;
      values.push_back(std::string(digits, end) + std::string(first->unit));
      require_few(from, values.size());
    }
    return values;
  }

  /// Weights are normalised by their sum, which has to be finite.
  static constexpr double most_weight = 1e12;
  [[nodiscard]] BadInput too_heavy(const Node& value, const std::string& what) {
    return sources_.error(value, what + " is " + shown(value.text) + ", and at most 1e12",
                          "only the ratio of weights matters");
  }

  void read_objective(const Node& node) {
    Fields fields(sources_, node, "`objective`");
    double sum = 0;
    for (const char* metric : {"latency", "energy", "dram_bytes", "peak_memory"})
      if (const Node* value = fields.find(metric)) {
        const double weight = as_real(sources_, *value, metric);
        if (weight < 0) throw sources_.error(*value, shown(metric) + " is negative");
        if (weight > most_weight) throw too_heavy(*value, shown(metric));
        sweep_.objective.emplace_back(metric, weight);
        sum += weight;
      }
    fields.finish();
    if (!(sum > 0))
      throw sources_.error_at_key(node, "all weights of `objective` are 0",
                                  "set at least one, as in {latency: 1}");
  }

  void read_limits(const Node& node) {
    Fields fields(sources_, node, "`limits`");
    if (const Node* value = fields.find("peak_memory"))
      sweep_.limits.emplace_back("peak_memory",
                                 static_cast<double>(as_size(sources_, *value, "peak_memory", 1)));
    for (const char* name : {"peak_bandwidth", "area"})
      if (const Node* value = fields.find(name)) {
        const double most = as_real(sources_, *value, name);
        if (!(most > 0)) throw sources_.error(*value, shown(name) + " must be more than 0");
        if (std::string_view(name) == "area")
          sweep_.most_area = most;
        else
          sweep_.limits.emplace_back(name, most);
      }
    fields.finish();
  }

  void read_effort(const Node& node) {
    Fields fields(sources_, node, "`effort`");
    if (const Node* value = fields.find("timeout")) {
      sweep_.timeout = as_quantity(sources_, *value, "timeout", parse_duration);
      if (*sweep_.timeout <= std::chrono::nanoseconds::zero())
        throw sources_.error(*value, "`timeout` must be more than 0");
    }
    if (const Node* value = fields.find("work"))
      sweep_.work = as_whole(sources_, *value, "work", 1);
    if (const Node* value = fields.find("tile_shapes"))
      sweep_.tile_shapes = as_whole(sources_, *value, "tile_shapes", 0);
    if (const Node* value = fields.find("engine"))
      sweep_.engine = as_text(sources_, *value, "engine");
    if (const Node* value = fields.find("question_timeout"))
      sweep_.question_timeout = as_quantity(sources_, *value, "question_timeout", parse_duration);
    if (const Node* value = fields.find("proof_shapes"))
      sweep_.proof_shapes = as_whole(sources_, *value, "proof_shapes", 0);
    fields.finish();
  }

  void read_modes(const Node& node) {
    Fields fields(sources_, node, "`modes`");
    sweep_.modes_line = node.key_line;
    std::vector<double>& lose = sweep_.lose_for_modes;
    if (const Node* value = fields.find("lose")) {
      if (value->kind == Node::Kind::list)
        for (const Node& each : value->children) lose.push_back(lost_share(each));
      else
        lose.push_back(lost_share(*value));
      if (lose.empty())
        throw sources_.error(*value, "`lose` is an empty list", "for instance lose: [0 %, 1 %]");
      std::ranges::sort(lose);
      lose.erase(std::unique(lose.begin(), lose.end()), lose.end());
    } else {
      lose.push_back(0);
    }
    fields.finish();
  }

  /// Percent.
  [[nodiscard]] double lost_share(const Node& value) const {
    const std::string text = as_text(sources_, value, "lose");
    const std::optional<Quantity> share = quantity(text);
    const bool percent = share && (share->unit == "%" || share->unit == " %");
    if (!share || !(percent || (share->unit.empty() && share->number == 0)))
      throw sources_.error(value, "`lose` is " + shown(text) + ", which is not a percentage",
                           "for instance lose: 1 %");
    if (share->number < 0 || share->number > 100)
      throw sources_.error(value, "`lose` must be between 0 % and 100 %");
    return share->number;
  }

  void read_strategy(const Node& node) {
    if (node.is_scalar()) {
      if (as_one_of(sources_, node, "strategy", {"grid", "random"}) == 1)
        throw sources_.error(node, "`random` needs `samples`",
                             "strategy: {random: {samples: 100, seed: 0}}");
      return;
    }
    Fields fields(sources_, node, "`strategy`");
    fields.take("prune", sweep_.prune);
    const Node* const grid = fields.find("grid");
    const Node* const random = fields.find("random");
    fields.finish();
    if ((grid == nullptr) == (random == nullptr))
      throw sources_.error_at_key(node, "`strategy` is either `grid` or `random`");
    if (random != nullptr) {
      Fields how(sources_, *random, "`random`");
      sweep_.samples = as_whole(sources_, how.need("samples"), "samples", 1);
      if (const Node* seed = how.find("seed"))
        sweep_.seed = static_cast<std::uint64_t>(as_whole(sources_, *seed, "seed"));
      how.take("prune", sweep_.prune);
      how.finish();
    } else if (grid->kind != Node::Kind::null) {
      Fields how(sources_, *grid, "`grid`");
      how.take("prune", sweep_.prune);
      how.finish();
    }
  }

  const Sources& sources_;
  SweepText& sweep_;
};

}  // namespace

SweepText read_sweep_yaml(std::string_view text, const std::string& file) {
  const Sources sources(file);
  const Node root = parse_yaml(text, sources);
  SweepText sweep;
  sweep.file = file;
  SweepReader(sources, sweep).read(root);
  return sweep;
}

}  // namespace tessera::io
