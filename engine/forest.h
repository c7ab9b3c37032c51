// A forest of regression trees, read from a text and evaluated without a library.
//
//   const Forest forest = Forest::read(text, {"size", "level"});     // the features it may name
//   double score = forest.value(std::array{0.25F, 7.0F});
//
// The text is what training/ writes: lines that begin with '#' say how it was made; then
// `features` with their names, `base` with the value that is added, `threshold` with the score from
// which its user should listen to it, and per tree a line `tree` and its nodes, parents first and
// what is smaller before what is not: `<feature> <value>` or `= <value>`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tessera::engine {

class Forest {
 public:
  /// `features`: what its user measures, in the order in which value() is given them.
  /// Throws BadInput with the line where the text is none, or asks for another feature.
  [[nodiscard]] static Forest read(std::string_view text,
                                   std::span<const std::string_view> features);

  /// require: as many values as there were features.
  [[nodiscard]] double value(std::span<const float> features) const {
    double sum = base_;
    for (std::size_t at : roots_) {
      for (;;) {
        const Node& node = nodes_[at];
        if (node.feature < 0) {
          sum += static_cast<double>(node.value);
          break;
        }
        const bool smaller = features[static_cast<std::size_t>(node.feature)] < node.value;
        at = smaller ? at + 1 : node.other;
      }
    }
    return sum;
  }

  [[nodiscard]] double threshold() const { return threshold_; }
  [[nodiscard]] std::size_t trees() const { return roots_.size(); }

 private:
  struct Node {
    float value = 0;            // of a leaf; otherwise what the feature is compared with
    std::int32_t feature = -1;  // -1: a leaf
    std::uint32_t other = 0;    // where the feature is not smaller; the next node where it is
  };

  std::vector<Node> nodes_;
  std::vector<std::size_t> roots_;
  double base_ = 0;
  double threshold_ = 0;
};

}  // namespace tessera::engine
