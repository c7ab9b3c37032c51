// Graphs with the wirings of published networks, for order_graphs.cpp.
//
//   for (const Wiring& each : wirings(seed)) use(each.name, each.graph);
//
// Sizes are those of int8 feature maps: a node of a stage has height * width * channels bytes. The
// order of the ops is that in which a framework writes them: node by node, all inputs of a node
// first.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/random.h"
#include "search/order/graph.h"

namespace tessera::bench {

using search::OpGraph;
using search::OpId;

/// A tensor while a graph is built: its storage.
using Made = std::uint32_t;

class GraphBuilder {
 public:
  /// A tensor that is there from the start.
  Made input(Size size) {
    graph_.storages.push_back({.size = size, .from_start = true});
    makers_.push_back(none);
    return last();
  }
  /// An op with one output.
  Made op(const std::vector<Made>& inputs, Size size) {
    const auto id = static_cast<OpId>(graph_.ops++);
    std::vector<OpId>& before = graph_.before.emplace_back();
    for (const Made t : inputs) {
      graph_.storages[t].end.push_back(id);
      if (makers_[t] != none) before.push_back(makers_[t]);
    }
    std::ranges::sort(before);
    before.erase(std::unique(before.begin(), before.end()), before.end());
    graph_.storages.push_back({.size = size, .begin = {id}, .end = {id}});
    makers_.push_back(id);
    return last();
  }
  /// A chain of ops with outputs of these sizes.
  Made chain(Made from, const std::vector<Size>& sizes) {
    for (const Size size : sizes) from = op({from}, size);
    return from;
  }
  OpGraph finish() {
    for (search::Storage& each : graph_.storages) {
      std::ranges::sort(each.end);
      each.end.erase(std::unique(each.end.begin(), each.end.end()), each.end.end());
      const bool read = each.end.size() > each.begin.size();
      if (!read) each.stays = true;
    }
    return std::move(graph_);
  }

 private:
  static constexpr OpId none = UINT32_MAX;
  [[nodiscard]] Made last() const { return static_cast<Made>(graph_.storages.size() - 1); }
  OpGraph graph_;
  std::vector<OpId> makers_;
};

struct Wiring {
  std::string name;
  bool irregular = false;  ///< in the sense of the literature: no repeated regular blocks
  OpGraph graph;
};

/// Edges of a random graph, from lower to higher nodes.
using Edges = std::vector<std::pair<int, int>>;

inline Edges tidy(Edges edges) {
  for (auto& [a, b] : edges)
    if (a > b) std::swap(a, b);
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

/// Erdos-Renyi, as ER(p) in Xie et al., "Exploring Randomly Wired Neural Networks for Image
/// Recognition", 2019.
inline Edges erdos_renyi(int nodes, double p, Random& random) {
  Edges edges;
  for (int a = 0; a < nodes; ++a)
    for (int b = a + 1; b < nodes; ++b)
      if (random.unit() < p) edges.emplace_back(a, b);
  return tidy(edges);
}

/// Watts-Strogatz: a ring whose edges are rewired, WS(k, p) there.
inline Edges watts_strogatz(int nodes, int k, double p, Random& random) {
  Edges edges;
  for (int a = 0; a < nodes; ++a)
    for (int d = 1; d <= k / 2; ++d) {
      int b = (a + d) % nodes;
      if (random.unit() < p) do
          b = static_cast<int>(random.below(static_cast<std::uint64_t>(nodes)));
        while (b == a);
      edges.emplace_back(a, b);
    }
  return tidy(edges);
}

/// Barabasi-Albert: nodes prefer those with many edges, BA(m) there.
inline Edges barabasi_albert(int nodes, int m, Random& random) {
  Edges edges;
  std::vector<int> ends;
  for (int b = m; b < nodes; ++b) {
    const std::size_t before = ends.size();  // a node has no edge to itself
    for (int k = 0; k < m; ++k) {
      const int a = before == 0 ? k : ends[random.below(before)];
      edges.emplace_back(a, b);
      ends.push_back(a);
      ends.push_back(b);
    }
  }
  return tidy(edges);
}

/// The inputs of a node, each times its weight, added one after the other.
inline Made weighted_sum(GraphBuilder& b, const std::vector<Made>& inputs, Size size) {
  if (inputs.size() == 1) return inputs[0];
  std::vector<Made> products;
  for (const Made each : inputs) products.push_back(b.op({each}, size));
  Made sum = products[0];
  for (std::size_t k = 1; k < products.size(); ++k) sum = b.op({sum, products[k]}, size);
  return sum;
}

/// One stage of a randomly wired network: nodes without inputs read the stage's input, those
/// without outputs are averaged.
inline Made random_stage(GraphBuilder& b, Made input, int nodes, const Edges& edges, Size size,
                         bool weighted) {
  std::vector<std::vector<int>> from(static_cast<std::size_t>(nodes));
  std::vector<bool> read(static_cast<std::size_t>(nodes));
  for (const auto& [a, c] : edges) {
    from[static_cast<std::size_t>(c)].push_back(a);
    read[static_cast<std::size_t>(a)] = true;
  }
  std::vector<Made> made;
  std::vector<Made> ends;
  for (std::size_t n = 0; n < from.size(); ++n) {
    std::vector<Made> inputs;
    for (const int a : from[n]) inputs.push_back(made[static_cast<std::size_t>(a)]);
    if (inputs.empty()) inputs.push_back(input);
    made.push_back(weighted ? b.chain(weighted_sum(b, inputs, size), {size, size, size})
                            : b.op(inputs, size));
    if (!read[n]) ends.push_back(made.back());
  }
  return b.op(ends, size);
}

/// A network of stages; each halves height and width and doubles the channels.
template <typename MakeEdges>
OpGraph randomly_wired(int stages, int nodes, MakeEdges make_edges, bool weighted = false) {
  GraphBuilder b;
  Size size = 112 * 112 * 32;
  Made at = b.op({b.input(224 * 224 * 3)}, size);
  for (int s = 0; s < stages; ++s) {
    size /= 2;
    at = random_stage(b, at, nodes, make_edges(), size, weighted);
  }
  b.op({b.op({at}, 1280)}, 1000);
  return b.finish();
}

/// A separable convolution as DARTS writes it: depthwise, pointwise, twice.
inline Made separable(GraphBuilder& b, Made from, Size size) {
  return b.chain(from, {size, size, size, size});
}

/// The normal cell DARTS_V2 (Liu, Simonyan and Yang, "DARTS: Differentiable Architecture Search",
/// 2019).
inline Made darts_cell(GraphBuilder& b, Made before, Made last, Size size) {
  const Made s0 = b.op({before}, size);
  const Made s1 = b.op({last}, size);
  const Made n0 = b.op({separable(b, s0, size), separable(b, s1, size)}, size);
  const Made n1 = b.op({separable(b, s0, size), separable(b, s1, size)}, size);
  const Made n2 = b.op({separable(b, s1, size), s0}, size);
  const Made n3 = b.op({s0, b.chain(n0, {size, size})}, size);
  return b.op({n0, n1, n2, n3}, 4 * size);
}

inline OpGraph darts(int cells) {
  GraphBuilder b;
  Size size = 32 * 32 * 36;
  Made before = b.op({b.input(32 * 32 * 3)}, 3 * size);
  Made last = before;
  for (int c = 0; c < cells; ++c) {
    if (c == cells / 3 || c == 2 * cells / 3) size /= 2;
    const Made next = darts_cell(b, before, last, size);
    before = last;
    last = next;
  }
  b.op({last}, 1000);
  return b.finish();
}

/// NASNet-A normal cell (Zoph et al., "Learning Transferable Architectures", 2018).
inline Made nasnet_cell(GraphBuilder& b, Made before, Made last, Size size) {
  const Made p = b.op({before}, size);
  const Made h = b.op({last}, size);
  const Made a0 = b.op({separable(b, h, size), h}, size);
  const Made a1 = b.op({separable(b, p, size), separable(b, h, size)}, size);
  const Made a2 = b.op({b.op({h}, size), p}, size);
  const Made a3 = b.op({b.op({p}, size), b.op({p}, size)}, size);
  const Made a4 = b.op({separable(b, p, size), separable(b, p, size)}, size);
  return b.op({p, a0, a1, a2, a3, a4}, 6 * size);
}

inline OpGraph nasnet(int cells) {
  GraphBuilder b;
  Size size = 28 * 28 * 44;
  Made before = b.op({b.input(224 * 224 * 3)}, 4 * size);
  Made last = b.op({before}, 4 * size);
  for (int c = 0; c < cells; ++c) {
    const Made next = nasnet_cell(b, before, last, size);
    before = last;
    last = next;
  }
  b.op({last}, 1000);
  return b.finish();
}

/// Cells like those of SwiftNet (Zhang et al., 2019): irregular concatenations of small branches of
/// different widths, wired at random with 1 to 4 inputs per node.
inline Made swift_cell(GraphBuilder& b, Made input, int nodes, Size size, Random& random) {
  std::vector<Made> made{input};
  std::vector<bool> read{true};
  for (int n = 0; n < nodes; ++n) {
    std::vector<Made> inputs;
    const auto count = random.between(1, 4);
    for (int k = 0; k < count; ++k) {
      const std::size_t from = random.below(made.size());
      if (std::ranges::find(inputs, made[from]) == inputs.end()) inputs.push_back(made[from]);
      read[from] = true;
    }
    made.push_back(b.op(inputs, size * random.between(1, 8)));
    read.push_back(false);
  }
  std::vector<Made> ends;
  for (std::size_t n = 0; n < made.size(); ++n)
    if (!read[n]) ends.push_back(made[n]);
  return b.op(ends, size * 6);
}

inline OpGraph swiftnet(int cells, int nodes, Random& random) {
  GraphBuilder b;
  Made at = b.op({b.input(224 * 224 * 3)}, 112 * 112 * 8);
  Size size = 28 * 28 * 8;
  for (int c = 0; c < cells; ++c) {
    at = swift_cell(b, at, nodes, size, random);
    size = std::max<Size>(size / 2, 392);
  }
  b.op({at}, 2);
  return b.finish();
}

/// U-Net++ (Zhou et al., 2018): node (i, j) reads all (i, k < j) and the one below. The order is
/// column by column. With `plain` the U-Net: only the diagonal's ends.
inline OpGraph unet(int depth, bool nested) {
  GraphBuilder b;
  const auto size = [](int i) { return static_cast<Size>(256 * 256 * 32) >> i; };
  std::vector<std::vector<Made>> x(static_cast<std::size_t>(depth));
  Made at = b.input(256 * 256 * 3);
  for (int i = 0; i < depth; ++i) {
    if (i > 0) at = b.op({at}, size(i + 1));
    at = b.chain(at, {size(i), size(i)});
    x[static_cast<std::size_t>(i)].push_back(at);
  }
  for (int j = 1; j < depth; ++j)
    for (int i = 0; i + j < depth; ++i) {
      if (!nested && i + j != depth - 1) continue;
      std::vector<Made>& row = x[static_cast<std::size_t>(i)];
      const Made up = b.op({x[static_cast<std::size_t>(i) + 1].back()}, size(i));
      std::vector<Made> inputs = row;
      inputs.push_back(up);
      const Made joined = b.op(inputs, size(i) * static_cast<Size>(inputs.size()));
      row.push_back(b.chain(joined, {size(i), size(i)}));
    }
  b.op({x[0].back()}, 256 * 256);
  return b.finish();
}

/// DenseNet (Huang et al., 2017) with concatenations that copy.
inline OpGraph densenet(int blocks, int layers) {
  GraphBuilder b;
  const Size pixel = 56 * 56;
  Made at = b.op({b.input(224 * 224 * 3)}, pixel * 64);
  Size scale = 1;
  for (int k = 0; k < blocks; ++k) {
    std::vector<Made> all{at};
    Size channels = 64;
    for (int n = 0; n < layers; ++n) {
      const Made joined = all.size() == 1 ? all[0] : b.op(all, pixel * channels / scale);
      all.push_back(b.chain(joined, {pixel * 128 / scale, pixel * 32 / scale}));
      channels += 32;
    }
    at = b.op({b.op(all, pixel * channels / scale)}, pixel * 64 / scale / 4);
    scale *= 4;
  }
  b.op({at}, 1000);
  return b.finish();
}

/// Inception modules (Szegedy et al., 2016, figure 6): four branches and a concatenation.
inline OpGraph inception(int modules) {
  GraphBuilder b;
  const Size pixel = 35 * 35;
  Made at = b.op({b.input(299 * 299 * 3)}, pixel * 192);
  for (int k = 0; k < modules; ++k) {
    const Made a = b.op({at}, pixel * 64);
    const Made c = b.chain(at, {pixel * 48, pixel * 64});
    const Made d = b.chain(at, {pixel * 64, pixel * 96, pixel * 96});
    const Made e = b.chain(at, {pixel * 192, pixel * 64});
    at = b.op({a, c, d, e}, pixel * 288);
  }
  b.op({at}, 1000);
  return b.finish();
}

/// Transformer layers whose heads are separate ops, as compilers split them: per head three
/// projections, scores, softmax and the weighted sum. The order is operation by operation, over all
/// heads.
inline OpGraph transformer(int layers, int heads, Size tokens) {
  GraphBuilder b;
  const Size width = 64;
  const Size all = tokens * width * heads;
  Made at = b.input(all);
  for (int k = 0; k < layers; ++k) {
    const Made normal = b.op({at}, all);
    std::vector<Made> q, key, v, score, soft, out;
    for (int h = 0; h < heads; ++h) q.push_back(b.op({normal}, tokens * width));
    for (int h = 0; h < heads; ++h) key.push_back(b.op({normal}, tokens * width));
    for (int h = 0; h < heads; ++h) v.push_back(b.op({normal}, tokens * width));
    for (std::size_t h = 0; h < q.size(); ++h)
      score.push_back(b.op({q[h], key[h]}, tokens * tokens));
    for (std::size_t h = 0; h < q.size(); ++h) soft.push_back(b.op({score[h]}, tokens * tokens));
    for (std::size_t h = 0; h < q.size(); ++h) out.push_back(b.op({soft[h], v[h]}, tokens * width));
    const Made sum = b.op({b.op(out, all), at}, all);
    const Made hidden = b.op({b.op({sum}, all)}, 4 * all);
    at = b.op({b.op({hidden}, all), sum}, all);
  }
  return b.finish();
}

/// All wirings of one seed.
inline std::vector<Wiring> wirings(std::uint64_t seed) {
  Random random(mix(seed, 1));
  std::vector<Wiring> out;
  const auto add = [&](std::string name, bool irregular, OpGraph graph) {
    out.push_back({std::move(name), irregular, std::move(graph)});
  };
  const auto er = [&](int n) { return [&random, n] { return erdos_renyi(n, 0.2, random); }; };
  const auto ws = [&](int n) {
    return [&random, n] { return watts_strogatz(n, 4, 0.75, random); };
  };
  const auto ba = [&](int n) { return [&random, n] { return barabasi_albert(n, 5, random); }; };
  add("ER(0.2) 3 x 32", true, randomly_wired(3, 32, er(32)));
  add("WS(4, 0.75) 3 x 32", true, randomly_wired(3, 32, ws(32)));
  add("BA(5) 3 x 32", true, randomly_wired(3, 32, ba(32)));
  add("WS(4, 0.75) 6 x 32", true, randomly_wired(6, 32, ws(32)));
  add("WS(4, 0.75) 3 x 64", true, randomly_wired(3, 64, ws(64)));
  add("ER(0.2) 6 x 32", true, randomly_wired(6, 32, er(32)));
  add("ER(0.2) 3 x 32, op by op", true, randomly_wired(3, 32, er(32), true));
  add("WS(4, 0.75) 3 x 32, op by op", true, randomly_wired(3, 32, ws(32), true));
  add("SwiftNet-like 3 x 30", true, swiftnet(3, 30, random));
  add("SwiftNet-like 6 x 32", true, swiftnet(6, 32, random));
  add("DARTS 1 cell", true, darts(1));
  add("DARTS 8 cells", true, darts(8));
  add("NASNet-A 4 cells", true, nasnet(4));
  add("NASNet-A 8 cells", true, nasnet(8));
  add("U-Net", false, unet(5, false));
  add("U-Net++", false, unet(5, true));
  add("DenseNet 4 x 12", false, densenet(4, 12));
  add("Inception 9 modules", false, inception(9));
  add("transformer 2 x 8 heads", false, transformer(2, 8, 256));
  add("transformer 4 x 32 heads", false, transformer(4, 32, 256));
  add("WS(4, 0.75) 30 x 32", true, randomly_wired(30, 32, ws(32)));
  add("WS(4, 0.75) 12 x 80", true, randomly_wired(12, 80, ws(80)));
  add("WS(4, 0.75) 1 x 80", true, randomly_wired(1, 80, ws(80)));
  add("WS(4, 0.75) 1 x 200", true, randomly_wired(1, 200, ws(200)));
  add("SwiftNet-like 1 x 200", true, swiftnet(1, 200, random));
  add("SwiftNet-like 10 x 100", true, swiftnet(10, 100, random));
  add("WS(4, 0.75) 1 x 1000", true, randomly_wired(1, 1000, ws(1000)));
  return out;
}

}  // namespace tessera::bench
