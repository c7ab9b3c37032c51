#include "search/guided/retreat.h"

#include "engine/forest.h"

namespace tessera::search::guided {
namespace {

std::optional<std::size_t> best_rated(const engine::Forest& forest, const Impasse& impasse) {
  std::optional<std::size_t> best;
  double most = forest.threshold();
  for (std::size_t k = 0; k < impasse.retreats.size(); ++k) {
    const double value = forest.value(impasse.retreats[k].features);
    if (value < most || (best && value == most)) continue;
    best = k;
    most = value;
  }
  return best;
}

class ForestChooser final : public RetreatChooser {
 public:
  explicit ForestChooser(std::string_view text)
      : forest_(engine::Forest::read(text, retreat_features)) {}
  std::optional<std::size_t> choose(const Impasse& impasse) override {
    return best_rated(forest_, impasse);
  }

 private:
  engine::Forest forest_;
};

}  // namespace

std::unique_ptr<RetreatChooser> make_forest_chooser(std::string_view forest) {
  return std::make_unique<ForestChooser>(forest);
}

std::optional<std::size_t> ShippedChooser::choose(const Impasse& impasse) {
  static const engine::Forest forest =
      engine::Forest::read(shipped_backtracking(), retreat_features);
  return best_rated(forest, impasse);
}

}  // namespace tessera::search::guided
