// A forest of regression trees, read from text.
//
//   const Forest forest = Forest::read(text, {"size", "level"});     // the features it may name
//   double score = forest.value(std::array{0.25F, 7.0F});
//
// training/ writes the text. Lines that begin with '#' describe how it was made. They are followed
// by
//  - `features` with the feature names;
//  - `base` with a constant that is added;
//  - `threshold` with the score from which a user should follow the prediction;
//  - per tree a line `tree` and its nodes: `<feature> <value>` for an inner node, `= <value>` for a
//    leaf. A parent comes before its children, and the child for smaller values comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tessera::engine {

class Forest {
 public:
  /// `features`: the features of the user, in the order of value()'s argument. Throws BadInput with
  /// the line if the text is malformed or uses another feature.
  [[nodiscard]] static Forest read(std::string_view text,
                                   std::span<const std::string_view> features);

  /// require: one value per feature.
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
    float value = 0;            // of a leaf, or the threshold of the feature
    std::int32_t feature = -1;  // -1: a leaf
    std::uint32_t other = 0;    // child for other values; the first child is the next node
  };

  std::vector<Node> nodes_;
  std::vector<std::size_t> roots_;
  double base_ = 0;
  double threshold_ = 0;
};

}  // namespace tessera::engine
