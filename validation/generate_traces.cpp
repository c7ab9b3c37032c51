#include "validation/generate_traces.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "model/random.h"

namespace tessera::validation {

namespace {

/// Power law by octaves: the octave is geometric, the position inside it uniform. Avoids pow(),
/// whose last bit depends on the math library.
class PowerLaw {
 public:
  explicit PowerLaw(double tail) : stay_(std::exp2(-tail)) {}
  [[nodiscard]] std::int64_t draw(Random& random, std::int64_t least, std::int64_t most) const {
    std::int64_t low = least;
    while (low <= most / 2 && random.unit() < stay_) low *= 2;
    const std::int64_t width = std::min(low, most - low + 1);
    return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(width)));
  }

 private:
  double stay_;
};

class Builder {
 public:
  explicit Builder(const TraceParams& params) : params_(params) {
    problem_.name = std::string(to_string(params.kind)) + "-" + std::to_string(params.buffers) +
                    "-" + std::to_string(params.seed);
    problem_.memories.push_back({.name = "ram"});
    problem_.objective = Objective::height;
    problem_.buffers.reserve(static_cast<std::size_t>(params.buffers));
  }
  [[nodiscard]] std::int64_t left() const {
    return params_.buffers - static_cast<std::int64_t>(problem_.buffers.size());
  }
  /// Ignored once the number of buffers is reached.
  void add(Step lower, Step upper, Size size) {
    if (left() == 0) return;
    Buffer buffer;
    buffer.id = "b" + std::to_string(problem_.buffers.size());
    buffer.live = {{lower, std::max(upper, lower + 1)}};
    buffer.size = std::clamp<Size>(size, 1, params_.max_size);
    buffer.alignment = params_.alignment;
    problem_.buffers.push_back(std::move(buffer));
  }
  [[nodiscard]] PlacementProblem take() && { return std::move(problem_); }

 private:
  const TraceParams& params_;
  PlacementProblem problem_;
};

/// An allocation site: its blocks resemble each other.
struct Site {
  enum class Death : std::uint8_t { on_its_own, with_phase, at_exit };
  Size size = 0;
  bool varied = false;  ///< sizes follow the power law; false: all are `size`
  std::int64_t life = 0;
  Death death = Death::on_its_own;
};

std::vector<Site> draw_sites(const TraceParams& params, Random& random) {
  const PowerLaw law(params.tail);
  std::vector<Site> sites(64);
  for (Site& site : sites) {
    site.size = align_up(law.draw(random, std::min<Size>(16, params.max_size), params.max_size), 8);
    site.varied = random.below(4) == 0;
    site.life = law.draw(random, 2, std::max<std::int64_t>(2, params.buffers));
    const std::uint64_t kind = random.below(20);
    site.death = kind == 0  ? Site::Death::at_exit
                 : kind < 5 ? Site::Death::with_phase
                            : Site::Death::on_its_own;
  }
  return sites;
}

void malloc_trace(const TraceParams& params, Builder& builder) {
  Random random(mix(params.seed, 1));
  const PowerLaw law(params.tail);
  const std::vector<Site> sites = draw_sites(params, random);
  const std::int64_t n = params.buffers;
  Step phase_end = 0;
  std::vector<std::size_t> active;  // the active sites of a phase, in order of frequency
  for (Step now = 0; now < n; ++now) {
    if (now >= phase_end) {
      phase_end = std::min(n, now + law.draw(random, std::max<Step>(1, n / 50), n));
      active.clear();
      for (int k = 0; k < 16; ++k) active.push_back(random.below(sites.size()));
    }
    const std::size_t rank =
        // prefers the first sites
        std::min(random.below(active.size()), random.below(active.size()));
    const Site& site = sites[active[rank]];
    const Size size =
        site.varied
            ? align_up(law.draw(random, std::min<Size>(8, params.max_size), params.max_size), 8)
            : site.size;
    Step upper = now + law.draw(random, std::max<Step>(1, site.life / 2), 4 * n);
    if (site.death == Site::Death::with_phase && random.below(8) != 0) upper = phase_end;
    // Buffers that live to the end are rare, and most programs allocate them early.
    if (site.death == Site::Death::at_exit && random.below(64) == 0) upper = n + 1;
    builder.add(now, std::min(upper, n + 1), size);
  }
}

struct Layer {
  Size weight = 0;
  Size activation = 0;
  int temporaries = 0;
  int saved = 0;  ///< activations kept for the backward pass
  Step forward = 0;
};

void training_graph(const TraceParams& params, Builder& builder) {
  Random random(mix(params.seed, 2));
  const PowerLaw law(params.tail);
  // A few shapes, repeated, as the blocks of a network are.
  const Size unit = std::max<Size>(1, params.max_size / 4096);
  std::vector<Layer> shapes(static_cast<std::size_t>(6 + random.below(10)));
  for (Layer& shape : shapes) {
    shape.weight = law.draw(random, unit, params.max_size);
    shape.activation = law.draw(random, unit * 16, params.max_size);
    shape.temporaries = static_cast<int>(1 + random.below(5));
    shape.saved = static_cast<int>(1 + random.below(4));
  }
  std::vector<Layer> layers;
  std::int64_t planned = 0;
  Step now = 1;
  while (planned < params.buffers) {
    // A sequence of shapes, repeated, with activations shrinking from block to block.
    const std::size_t first = random.below(shapes.size());
    const std::size_t length = 2 + random.below(5);
    const std::uint64_t repeats = 1 + random.below(8);
    for (std::uint64_t r = 0; r < repeats && planned < params.buffers; ++r) {
      for (std::size_t k = 0; k < length && planned < params.buffers; ++k) {
        Layer layer = shapes[(first + k) % shapes.size()];
        layer.forward = now;
        now += 2 + layer.temporaries;
        planned += 5 + layer.saved + 2 * layer.temporaries;
        layers.push_back(layer);
      }
    }
    Layer& shape = shapes[random.below(shapes.size())];
    shape.activation = std::max<Size>(unit, shape.activation / 2);
  }
  const Step turn = now + 2;  // the loss; the backward pass mirrors the forward pass around it
  const Step end = 2 * turn + 2;
  const Step update = end - 1;
  for (const Layer& layer : layers) {
    const Step backward = 2 * turn - layer.forward - layer.temporaries - 1;
    builder.add(0, end, layer.weight);
    builder.add(0, end, layer.weight);  // optimiser state
    builder.add(backward + 1, random.below(4) == 0 ? update : backward + 4, layer.weight);
    for (int k = 0; k < layer.saved; ++k) {
      const Size size = k == 0 ? layer.activation : layer.activation / (2 * k);
      builder.add(layer.forward + k % 2, backward + 2 - k % 2, size);
    }
    builder.add(layer.forward, layer.forward + 2 + layer.temporaries, layer.activation);
    builder.add(backward, backward + 2 + layer.temporaries, layer.activation);  // its gradient
    for (int k = 0; k < layer.temporaries; ++k) {
      const Size size = law.draw(random, unit, std::max(unit, layer.activation));
      builder.add(layer.forward + k, layer.forward + k + 2, size);
      builder.add(backward + k, backward + k + 2 + static_cast<Step>(random.below(3)), size);
    }
  }
  // The last layers may be cut short: fill up with small statistics buffers.
  while (builder.left() > 0) {
    const Step lower = static_cast<Step>(random.below(static_cast<std::uint64_t>(end)));
    builder.add(lower, lower + law.draw(random, 1, end), unit);
  }
}

}  // namespace

std::string_view to_string(TraceKind kind) {
  return kind == TraceKind::malloc ? "malloc" : "training";
}

std::optional<TraceKind> trace_kind_from(std::string_view text) {
  if (text == "malloc") return TraceKind::malloc;
  if (text == "training") return TraceKind::training;
  return std::nullopt;
}

PlacementProblem generate_trace(const TraceParams& params) {
  Builder builder(params);
  if (params.kind == TraceKind::malloc)
    malloc_trace(params, builder);
  else
    training_graph(params, builder);
  return std::move(builder).take();
}

}  // namespace tessera::validation
