#include "tessera/report.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>
#include <vector>

#include "encoder/explain.h"
#include "encoder/load_cut.h"
#include "facts/free_space.h"
#include "io/files.h"
#include "io/load.h"
#include "io/report_page.h"
#include "io/tree.h"
#include "model/buffer_parts.h"
#include "model/derived.h"
#include "model/json_write.h"
#include "model/relations.h"
#include "tessera/check.h"
#include "tessera/errors.h"
#include "tessera/explain.h"
#include "tessera/files.h"

namespace tessera::placer {

namespace {

/// Browsers take noticeably long for larger pages.
constexpr std::size_t large_page = std::size_t{4} << 20U;
constexpr std::size_t most_sentences = 20;
constexpr std::size_t most_pieces = 100'000;

std::string pair_text(std::int64_t first, std::int64_t second) {
  return '[' + json_number(first) + ',' + json_number(second) + ']';
}

std::string memory_text(const Memory& memory) {
  return json_object([&](JsonObject& one) {
    one.text("name", memory.name);
    if (memory.capacity != unbounded) one.number("capacity", memory.capacity);
    if (memory.base != 0) one.number("base", memory.base);
    one.list("reserved", memory.reserved,
             [](const AddressRange& range) { return pair_text(range.begin, range.end); });
    one.list("banks", memory.banks, [](const Bank& bank) {
      return json_object([&](JsonObject& each) {
        each.text("name", bank.name);
        each.number("size", bank.size);
      });
    });
  });
}

/// The buffers of each relation that allows overlap.
std::string shares_text(const PlacementProblem& problem) {
  std::string text = "[";
  for (const Relation& relation : problem.relations) {
    if (!meaning(relation.kind).lifts_overlap) continue;
    text += text.size() > 1 ? ",[" : "[";
    for (std::size_t k = 0; k < relation.buffers.size(); ++k)
      text += (k == 0 ? "" : ",") + json_string(problem.buffers[relation.buffers[k]].id);
    text += ']';
  }
  return text + ']';
}

/// A buffer without a place.
std::string buffer_text(const Buffer& buffer) {
  return json_object([&](JsonObject& one) {
    one.text("id", buffer.id);
    one.number("size", buffer.size);
    one.list("live", buffer.live,
             [](const StepRange& live) { return pair_text(live.lower, live.upper); });
  });
}

/// For buffers with gaps or parts: [from, to, begin, end] of the occupied areas. Entries that would
/// make the page large are left out; these buffers are drawn as whole rectangles.
void add_occupied(JsonObject& given, const PlacementProblem& problem) {
  std::string text;
  JsonObject occupied(text, json_on_one_line);
  std::size_t pieces = 0;
  for (const Buffer& buffer : problem.buffers) {
    if (buffer.gaps.empty() && buffer.parts.empty()) continue;
    if (part_segment_count(buffer) > max_part_runs) break;
    const std::vector<Segment> all = segments(buffer);
    pieces += all.size();
    if (pieces > most_pieces) break;
    occupied.list(buffer.id, all, [](const Segment& each) {
      return '[' + json_number(each.steps.lower) + ',' + json_number(each.steps.upper) + ',' +
             json_number(each.range.begin) + ',' + json_number(each.range.end) + ']';
    });
  }
  occupied.close();
  if (pieces > 0) given.entry("occupied") += text;
}

void add_curve(JsonObject& to, std::string_view key, const encoder::LoadCurve& curve) {
  to.list(key, curve, [](const auto& corner) { return pair_text(corner.first, corner.second); });
}

/// The load of all buffers, and of the buffers in the explanation, at each step: per memory the
/// buffers tied to it; for all memories together all buffers, if some have a choice.
std::string loads_text(const PlacementProblem& problem, const Explanation& why) {
  std::vector<std::vector<MemoryIndex>> sets;
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) sets.push_back({m});
  const bool choice = std::ranges::any_of(problem.buffers, [&](const Buffer& buffer) {
    return allowed_memories(problem, buffer).size() > 1;
  });
  if (choice) {
    sets.emplace_back(problem.memories.size());
    std::iota(sets.back().begin(), sets.back().end(), MemoryIndex{0});
  }
  const PlacementProblem part = encoder::part_of(problem, why.buffers, {});
  std::string text = "[";
  for (const std::vector<MemoryIndex>& memories : sets) {
    Poll never;
    const encoder::LoadCurve all = encoder::load_curve(problem, memories, never);
    if (all.empty()) continue;
    text += (text.size() > 1 ? "," : "") + json_object([&](JsonObject& one) {
              Size room = 0;
              for (const MemoryIndex m : memories)
                room = std::min(unbounded, room + facts::free_bytes(problem.memories[m]));
              one.list("memories", memories,
                       [&](MemoryIndex m) { return json_string(problem.memories[m].name); });
              if (room != unbounded) one.number("room", room);
              add_curve(one, "all", all);
              add_curve(one, "set", encoder::load_curve(part, memories, never));
            });
  }
  return text + ']';
}

std::string explanation_text(const PlacementProblem& problem, const Explanation& why) {
  return json_object([&](JsonObject& one) {
    one.text("status", to_string(why.status));
    one.truth("minimal", why.minimal);
    one.list("buffers", why.buffers,
             [&](BufferIndex b) { return json_string(problem.buffers[b].id); });
    one.texts("rules", why.rules);
    one.text("text", why.text);
    one.entry("loads") += loads_text(problem, why);
  });
}

/// Of the mandatory buffers if they are infeasible: the result may be of another objective.
Explanation explanation_of(const PlacementProblem& problem, const Limits& limits) {
  if (problem.objective != Objective::fit) {
    Explanation why = explain(problem, {.limits = limits, .minimize = std::nullopt});
    if (why.status == Status::infeasible) return why;
  }
  return explain(problem, {.limits = limits});
}

/// The parts of the problem that complement its result.
std::string given_text(const PlacementProblem& problem, const PlacementResult& result,
                       const Limits& limits) {
  return json_object([&](JsonObject& given) {
    given.list("memories", problem.memories, memory_text);
    given.entry("shares") += shares_text(problem);
    add_occupied(given, problem);
    if (result.placement) {
      std::vector<std::string> wrong;
      for (const Violation& each : check(problem, *result.placement, most_sentences))
        wrong.push_back(each.message);
      given.texts("wrong", wrong);
    } else {
      given.list("buffers", problem.buffers, buffer_text);
    }
    if (result.status == Status::infeasible)
      given.entry("explanation") += explanation_text(problem, explanation_of(problem, limits));
  });
}

/// "NETWORK on PROFILE" if the plan has both.
std::optional<std::string> title_of_plan(const io::Node& plan) {
  const io::Node* const network = plan.find("network");
  const io::Node* const profile = plan.find("profile");
  if (network == nullptr || profile == nullptr || network->text.empty()) return std::nullopt;
  return network->text + " on " + profile->text;
}

}  // namespace

}  // namespace tessera::placer

namespace tessera {

Report report_html(const std::string& result, const Input* input, const Limits& limits) {
  std::string text = io::read_file(io::input_path(result));
  std::string title = std::filesystem::path(result).filename().string();
  Report report;
  std::string json;
  std::string given = "null";
  const bool is_json = io::detect_format(text) == io::ProblemFormat::dsa_json;
  if (!is_json && input == nullptr)
    throw BadInput(result + ": is not a placement/1 or plan/1 JSON",
                   "place --output FILE.json writes one; a CSV with offsets needs --input");
  std::optional<io::ReportKind> kind;
  if (is_json) {
    const io::Sources sources(result);
    const io::Node root = io::parse_json(text, sources);
    // With a problem, its own reader reports errors, and these fields are unused.
    const io::Node* const name = root.find("tessera");
    if (input == nullptr || (name != nullptr && name->text == "plan/1"))
      kind = io::check_report_tree(sources, root);
    if (kind) json = io::json_text(root);
    if (kind == io::ReportKind::plan) title = placer::title_of_plan(root).value_or(title);
    if (kind == io::ReportKind::plan && input != nullptr)
      throw BadInput(result + ": is a plan, which does not take --input",
                     "remove --input: a plan has all data of its report");
    const io::Node* const status = root.find("status");
    if (kind == io::ReportKind::placement && status->text == "infeasible")
      report.note = "add --input FILE (the problem): the report then explains why it is infeasible";
  }
  if (!kind) {
    const PlacementResult placed = load_result_text(std::move(text), result, *input);
    if (!input->problem.name.empty()) title = input->problem.name;
    json = result_json(input->problem, placed);
    given = placer::given_text(input->problem, placed, limits);
  }
  report.html = io::report_page(title, json, given);
  if (report.html.size() > placer::large_page)
    report.note = "the page has " + size_text(static_cast<Size>(report.html.size()) >> 20U << 20U) +
                  "and loads slowly in a browser; place --plot draws a single picture";
  return report;
}

}  // namespace tessera
