#include "io/dsa_schema.h"

#include <functional>
#include <set>

namespace tessera::io {
namespace {

constexpr std::int64_t uint32_max = 4294967295;

class Checker {
 public:
  explicit Checker(const Sources& sources) : sources_(sources) {}

  void document(const Node& root) {
    Fields fields(sources_, root, "the document");
    if (const Node* other = fields.find("tessera")) {
      throw sources_.error_at_key(*other,
                                  "this is " + shown(other->text) + ", not a placement problem");
    }
    const Node& version = fields.need("schema_version");
    if (as_whole(sources_, version, "schema_version", 0, uint32_max) != 1) {
      throw sources_.error(
          version, "`schema_version` is " + version.text + ", but only version 1 is supported");
    }
    const Node& profile = fields.need("profile");
    static_cast<void>(as_one_of(sources_, profile, "profile",
                                {"standard_dsa", "dsa_rp_v1", "pypto_structured", "pypto_hard_v1",
                                 "pypto_research_v1", "pypto_core_relaxation"}));
    not_empty(fields.need("instance"), "instance");
    relaxation(fields, profile.text == "pypto_core_relaxation");
    if (const Node* metadata = fields.find("metadata")) {
      for (const Node& each : Fields(sources_, *metadata, "`metadata`").node().children) {
        static_cast<void>(as_text(sources_, each, each.key));
      }
    }
    problem(fields.need("problem"));
    fields.finish();
  }

 private:
  using Check = std::function<void(const Node&)>;

  void not_empty(const Node& node, std::string_view what) const {
    if (as_text(sources_, node, what).empty()) {
      throw sources_.error(node, shown(what) + " is empty");
    }
  }
  void id(Fields& fields, std::string_view key) const {
    static_cast<void>(as_whole(sources_, fields.need(key), key, 0, uint32_max));
  }
  void quantity(Fields& fields, std::string_view key, std::int64_t least = 0,
                std::int64_t most = max_address) const {
    static_cast<void>(as_whole(sources_, fields.need(key), key, least, most));
  }
  void list(const Node& node, std::string_view key, std::size_t least, const Check& check) const {
    const std::vector<Node>& items = as_list(sources_, node, key);
    if (items.size() < least) throw sources_.error(node, shown(key) + " is empty");
    for (const Node& item : items) check(item);
  }
  /// A list of distinct words.
  void words(const Node& node, std::string_view key, std::size_t least,
             std::initializer_list<std::string_view> known) const {
    std::set<std::string_view> seen;
    list(node, key, least, [&](const Node& item) {
      const std::string& word = as_text(sources_, item, key);
      if (known.size() > 0) static_cast<void>(as_one_of(sources_, item, key, known));
      if (!seen.insert(word).second) {
        throw sources_.error(item, shown(key) + " lists " + shown(word) + " twice");
      }
    });
  }

  void relaxation(Fields& fields, bool relaxed) const {
    const Node* from = fields.find("relaxed_from");
    const Node* features = fields.find("relaxed_features");
    if (relaxed && from == nullptr) static_cast<void>(fields.need("relaxed_from"));
    for (const Node* node : {from, features}) {
      if (!relaxed && node != nullptr) {
        throw sources_.error_at_key(*node,
                                    shown(node->key) + " needs the profile pypto_core_relaxation");
      }
    }
    if (from != nullptr) not_empty(*from, "relaxed_from");
    if (features != nullptr) words(*features, "relaxed_features", 0, {});
  }

  void problem(const Node& node) const {
    Fields fields(sources_, node, "`problem`");
    list(fields.need("pools"), "pools", 1, [this](const Node& each) { pool(each); });
    list(fields.need("buffers"), "buffers", 1, [this](const Node& each) { buffer(each); });
    constraints(fields.need("constraints"));
    if (const Node* costs = fields.find("cost_model")) {
      Fields model(sources_, *costs, "`cost_model`");
      list(model.need("reuse_penalties"), "reuse_penalties", 0,
           [this](const Node& each) { penalty(each); });
      model.finish();
    }
    if (const Node* each = fields.find("pypto_structure")) structure(*each);
    Fields objective(sources_, fields.need("objective"), "`objective`");
    static_cast<void>(
        as_one_of(sources_, objective.need("aggregation"), "aggregation", {"lexicographic"}));
    words(objective.need("terms"), "terms", 1,
          {"capacity_overflow", "total_peak", "max_peak", "reuse_cost", "bank_cost"});
    objective.finish();
    fields.finish();
  }

  void pool(const Node& node) const {
    Fields fields(sources_, node, "a pool");
    id(fields, "id");
    static_cast<void>(as_text(sources_, fields.need("name"), "name"));
    if (const Node& capacity = fields.need("capacity"); capacity.kind != Node::Kind::null) {
      static_cast<void>(as_whole(sources_, capacity, "capacity"));
    }
    list(fields.need("reserved_ranges"), "reserved_ranges", 0, [this](const Node& each) {
      Fields range(sources_, each, "a reserved range");
      quantity(range, "begin");
      quantity(range, "end");
      range.finish();
    });
    if (const Node* banks = fields.find("bank_geometry")) {
      Fields geometry(sources_, *banks, "`bank_geometry`");
      quantity(geometry, "bank_size");
      id(geometry, "num_banks");
      geometry.finish();
    }
    fields.finish();
  }

  void buffer(const Node& node) const {
    Fields fields(sources_, node, "a buffer");
    id(fields, "id");
    static_cast<void>(as_text(sources_, fields.need("name"), "name"));
    quantity(fields, "size");
    quantity(fields, "alignment");
    list(fields.need("live_intervals"), "live_intervals", 1, [this](const Node& each) {
      Fields interval(sources_, each, "a live interval");
      quantity(interval, "lower");
      quantity(interval, "upper");
      interval.finish();
    });
    std::set<std::int64_t> seen;
    list(fields.need("allowed_pools"), "allowed_pools", 1, [&](const Node& each) {
      const std::int64_t pool = as_whole(sources_, each, "allowed_pools", 0, uint32_max);
      if (!seen.insert(pool).second) {
        throw sources_.error(each, "`allowed_pools` lists " + each.text + " twice");
      }
    });
    fields.finish();
  }

  void constraints(const Node& node) const {
    Fields fields(sources_, node, "`constraints`");
    const Check pair = [this](const Node& each) {
      Fields entry(sources_, each, "a pair");
      id(entry, "first");
      id(entry, "second");
      entry.finish();
    };
    list(fields.need("colocations"), "colocations", 0, pair);
    list(fields.need("separations"), "separations", 0, [this](const Node& each) {
      Fields entry(sources_, each, "a separation");
      id(entry, "first");
      id(entry, "second");
      if (const Node* reasons = entry.find("reasons")) {
        words(*reasons, "reasons", 1,
              {"generic", "pipeline_stage", "target_hazard", "semantic_no_alias", "cross_pipe"});
      }
      entry.finish();
    });
    list(fields.need("temporal_exclusions"), "temporal_exclusions", 0, pair);
    list(fields.need("pinned_allocations"), "pinned_allocations", 0, [this](const Node& each) {
      Fields entry(sources_, each, "a pinned allocation");
      id(entry, "buffer");
      id(entry, "pool");
      quantity(entry, "offset");
      static_cast<void>(
          as_bool(sources_, entry.need("exclusive_for_all_time"), "exclusive_for_all_time"));
      entry.finish();
    });
    fields.finish();
  }

  void penalty(const Node& node) const {
    Fields fields(sources_, node, "a reuse penalty");
    id(fields, "first");
    id(fields, "second");
    quantity(fields, "cost");
    static_cast<void>(as_one_of(sources_, fields.need("reason"), "reason",
                                {"generic", "pipeline_serialization", "load_motion_serialization",
                                 "cross_pipe", "cross_core", "event_budget"}));
    fields.finish();
  }

  void structure(const Node& node) const {
    Fields fields(sources_, node, "`pypto_structure`");
    list(fields.need("alias_classes"), "alias_classes", 0, [this](const Node& each) {
      Fields entry(sources_, each, "an alias class");
      id(entry, "buffer");
      list(entry.need("members"), "members", 1,
           [this](const Node& member) { static_cast<void>(as_text(sources_, member, "members")); });
      entry.finish();
    });
    list(fields.need("pipeline_groups"), "pipeline_groups", 0, [this](const Node& each) {
      Fields entry(sources_, each, "a pipeline group");
      id(entry, "group");
      id(entry, "pool");
      quantity(entry, "slot_size", 1);
      quantity(entry, "depth", 1, uint32_max);
      quantity(entry, "effective_depth", 1, uint32_max);
      list(entry.need("members"), "members", 1, [this](const Node& member) {
        Fields part(sources_, member, "a pipeline member");
        id(part, "buffer");
        id(part, "stage");
        id(part, "residue");
        part.finish();
      });
      entry.finish();
    });
    fields.finish();
  }

  const Sources& sources_;
};

}  // namespace

void check_dsa_document(const Sources& sources, const Node& root) {
  Checker(sources).document(root);
}

}  // namespace tessera::io
