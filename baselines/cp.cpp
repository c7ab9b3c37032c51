// The placement problem as disjunctions, for Gecode.
#include <algorithm>
#include <array>
#include <gecode/int.hh>
#include <gecode/minimodel.hh>
#include <gecode/search.hh>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "baselines/baseline.h"
#include "baselines/engines.h"

namespace tessera::baselines {

namespace {

constexpr std::int64_t most_pairs = 1 << 19;
constexpr std::int64_t most_numbers = 1'000'000'000;  // Gecode requires sums below 2^31

/// The offsets of a body that avoid reserved ranges.
Gecode::IntSet starts_of(const Model& model, const Body& body) {
  std::vector<std::array<int, 2>> ranges;
  std::int64_t from = body.low;
  const auto add = [&](std::int64_t to) {
    if (from > to) return;
    ranges.push_back({static_cast<int>(from), static_cast<int>(to)});
  };
  for (const Range& reserved : model.reserved) {
    add(std::min(body.high, reserved.begin - body.size));
    from = std::max(from, reserved.end);
  }
  add(body.high);
  const auto list = std::make_unique<int[][2]>(ranges.size());
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    list[k][0] = ranges[k][0];
    list[k][1] = ranges[k][1];
  }
  return Gecode::IntSet(list.get(), static_cast<int>(ranges.size()));
}

/// Which bodies can support which others. Outlives the search.
struct Carriers {
  explicit Carriers(const Model& of) : model(of), of_body(of.bodies.size()) {
    for (const auto& [a, b] : of.pairs) {
      of_body[a].push_back(b);
      of_body[b].push_back(a);
    }
  }
  const Model& model;
  std::vector<std::vector<std::uint32_t>> of_body;
};

/// Branches on the lowest body: either it takes its lowest offset, or it starts where the next
/// possible supporter ends.  This enumerates placements in which no body can be lowered by itself:
/// each body lies at offset 0, on a reserved range or on another body. Unplaced bodies lie no
/// lower, so the bodies they support start at or above their lowest end. Branching on single values
/// instead takes time proportional to the number of addresses.
class Lowest final : public Gecode::Brancher {
 public:
  static void post(Gecode::Home home, const Gecode::IntVarArray& at, const Carriers& carriers) {
    Gecode::IntVarArgs all(at);
    Gecode::ViewArray<Gecode::Int::IntView> views(home, all);
    static_cast<void>(new (home) Lowest(home, views, carriers));
  }
  bool status(const Gecode::Space& /*home*/) const override {
    for (int k = 0; k < at_.size(); ++k)
      if (!at_[k].assigned()) return true;
    return false;
  }
  const Gecode::Choice* choice(Gecode::Space& /*home*/) override {
    int lowest = -1;
    for (int k = 0; k < at_.size(); ++k)
      if (!at_[k].assigned() && (lowest < 0 || at_[k].min() < at_[lowest].min())) lowest = k;
    const int next = next_place(lowest);
    return new Place(*this, lowest, at_[lowest].min(), next);
  }
  const Gecode::Choice* choice(const Gecode::Space& /*home*/, Gecode::Archive& from) override {
    int body = 0;
    int low = 0;
    int next = 0;
    from >> body >> low >> next;
    return new Place(*this, body, low, next);
  }
  Gecode::ExecStatus commit(Gecode::Space& home, const Gecode::Choice& choice,
                            unsigned int alternative) override {
    const auto& place = static_cast<const Place&>(choice);
    Gecode::Int::IntView at = at_[place.body];
    const Gecode::ModEvent changed =
        alternative == 0 ? at.eq(home, place.low) : at.gq(home, place.next);
    return Gecode::me_failed(changed) ? Gecode::ES_FAILED : Gecode::ES_OK;
  }
  Gecode::Brancher* copy(Gecode::Space& home) override { return new (home) Lowest(home, *this); }
  std::size_t dispose(Gecode::Space& home) override {
    static_cast<void>(Gecode::Brancher::dispose(home));
    return sizeof(*this);
  }

 private:
  struct Place final : Gecode::Choice {
    Place(const Gecode::Brancher& by, int of, int at, int then)
        : Gecode::Choice(by, 2), body(of), low(at), next(then) {}
    void archive(Gecode::Archive& to) const override {
      Gecode::Choice::archive(to);
      to << body << low << next;
    }
    int body;
    int low;
    int next;
  };

  Lowest(Gecode::Home home, Gecode::ViewArray<Gecode::Int::IntView>& at, const Carriers& carriers)
      : Gecode::Brancher(home), at_(at), carriers_(&carriers) {}
  Lowest(Gecode::Space& home, Lowest& other)
      : Gecode::Brancher(home, other), carriers_(other.carriers_) {
    at_.update(home, other.at_);
  }

  /// The next candidate above the lowest offset; beyond the domain if no supporter exists.
  [[nodiscard]] int next_place(int k) const {
    const Model& model = carriers_->model;
    const Body& body = model.bodies[static_cast<std::size_t>(k)];
    const std::int64_t low = at_[k].min();
    std::int64_t next = std::int64_t{at_[k].max()} + 1;
    const auto offer = [&](std::int64_t end) {
      const std::int64_t at = (end + body.stride - 1) / body.stride * body.stride;
      if (at > low) next = std::min(next, at);
    };
    offer(body.low);
    for (const Range& reserved : model.reserved) offer(reserved.end);
    for (const std::uint32_t other : carriers_->of_body[static_cast<std::size_t>(k)])
      offer(at_[static_cast<int>(other)].min() + model.bodies[other].size);
    return static_cast<int>(next);
  }

  Gecode::ViewArray<Gecode::Int::IntView> at_;
  const Carriers* carriers_;
};

class Space final : public Gecode::Space {
 public:
  Space(const Model& model, const Carriers& carriers, Poll& poll)
      : at_(*this, static_cast<int>(model.bodies.size()), 0, static_cast<int>(most_numbers)) {
    for (int k = 0; k < at_.size(); ++k) {
      poll(16);
      const Body& body = model.bodies[static_cast<std::size_t>(k)];
      Gecode::dom(*this, at_[k], starts_of(model, body));
      if (body.stride > 1) {
        const Gecode::IntVar strides(*this, 0, static_cast<int>(body.high / body.stride));
        Gecode::linear(*this, Gecode::IntArgs({1, -static_cast<int>(body.stride)}),
                       Gecode::IntVarArgs({at_[k], strides}), Gecode::IRT_EQ, 0);
      }
    }
    // Bodies live at one step share one axis; pairs cover the rest.
    if (!model.exempt)
      for (const auto& section : model.sections) {
        poll(static_cast<std::int64_t>(section.size()) * 8);
        apart(model, section);
      }
    const auto together = sections_of(model);
    for (const auto& [a, b] : model.pairs) {
      poll(16);
      if (!model.exempt && meet(together, a, b)) continue;
      apart(model, {a, b});
    }
    Lowest::post(*this, at_, carriers);
  }
  Space(Space& other) : Gecode::Space(other) { at_.update(*this, other.at_); }
  Gecode::Space* copy() override { return new Space(*this); }

  [[nodiscard]] std::vector<std::int64_t> offsets() const {
    std::vector<std::int64_t> all;
    for (int k = 0; k < at_.size(); ++k) all.push_back(at_[k].val());
    return all;
  }

 private:
  void apart(const Model& model, const std::vector<std::uint32_t>& bodies) {
    Gecode::IntVarArgs starts;
    Gecode::IntArgs sizes;
    for (const std::uint32_t k : bodies) {
      starts << at_[static_cast<int>(k)];
      sizes << static_cast<int>(model.bodies[k].size);
    }
    Gecode::unary(*this, starts, sizes, Gecode::IPL_BASIC_ADVANCED);
  }

  /// By body: the sections that contain it, ascending.
  static std::vector<std::vector<std::uint32_t>> sections_of(const Model& model) {
    std::vector<std::vector<std::uint32_t>> of(model.bodies.size());
    for (std::uint32_t s = 0; s < model.sections.size(); ++s)
      for (const std::uint32_t k : model.sections[s])
        if (of[k].empty() || of[k].back() != s) of[k].push_back(s);
    return of;
  }
  static bool meet(const std::vector<std::vector<std::uint32_t>>& of, std::uint32_t a,
                   std::uint32_t b) {
    auto i = of[a].begin();
    auto j = of[b].begin();
    while (i != of[a].end() && j != of[b].end()) {
      if (*i == *j) return true;
      ++(*i < *j ? i : j);
    }
    return false;
  }

  Gecode::IntVarArray at_;
};

class Limit final : public Gecode::Search::Stop {
 public:
  Limit(const Budget& budget, std::int64_t done) : budget_(budget), done_(done) {}
  bool stop(const Gecode::Search::Statistics& seen, const Gecode::Search::Options&) override {
    const std::int64_t nodes = done_ + static_cast<std::int64_t>(seen.node);
    if (budget_.meter != nullptr) {
      budget_.meter->done.store(nodes, std::memory_order_relaxed);
      if (nodes >= budget_.meter->limit.load(std::memory_order_relaxed))
        why_ = StopReason::node_limit;
    }
    if (nodes >= budget_.max_nodes) why_ = StopReason::node_limit;
    if (!why_) why_ = budget_.exhausted();
    return why_.has_value();
  }
  [[nodiscard]] std::optional<StopReason> why() const { return why_; }

 private:
  const Budget& budget_;
  std::int64_t done_;
  std::optional<StopReason> why_;
};

class Cp final : public Baseline {
 public:
  Cp()
      : Baseline({.name = "cp",
                  .method = "Constraint programming",
                  .written = "the constraints were",
                  .most_pairs = most_pairs,
                  // Propagators, and their copies along the search path.
                  .bytes_per_pair = 600,
                  .most_size = most_numbers,
                  .too_large = "The addresses are too large for the integers of constraint "
                               "programming; use another engine.",
                  .counted = {"nodes", "failures"}}) {}

 private:
  MemoryResult place(const Model& model, const engine::SearchParams& params, Poll& poll,
                     std::span<std::int64_t> counts) const override {
    std::int64_t& nodes = counts[0];
    std::int64_t& failures = counts[1];
    Limit limit(params.budget, nodes);
    Gecode::Search::Options options;
    options.stop = &limit;
    options.threads = 1;
    const Carriers carriers(model);
    const auto root = std::make_unique<Space>(model, carriers, poll);
    Gecode::DFS<Space> search(root.get(), options);
    const std::unique_ptr<Space> found(search.next());
    const Gecode::Search::Statistics seen = search.statistics();
    nodes += static_cast<std::int64_t>(seen.node);
    failures += static_cast<std::int64_t>(seen.fail);
    if (found) return MemoryResult::placed(found->offsets());
    if (search.stopped())
      return MemoryResult::given_up(limit.why().value_or(StopReason::node_limit),
                                    "A limit stopped constraint programming before a result.");
    return MemoryResult::refuted("The constraints have no solution.");
  }
};

}  // namespace

std::unique_ptr<engine::PlacementEngine> make_cp_engine() {
  return std::make_unique<Cp>();
}

}  // namespace tessera::baselines
