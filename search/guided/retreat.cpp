#include "search/guided/retreat.h"

#include "engine/forest.h"

namespace tessera::guided {
namespace {

class ForestChooser final : public RetreatChooser {
 public:
  explicit ForestChooser(std::string_view text) : forest_(Forest::read(text, retreat_features)) {}

  std::optional<std::size_t> choose(const Impasse& impasse) override {
    std::optional<std::size_t> best;
    double most = forest_.threshold();
    for (std::size_t k = 0; k < impasse.retreats.size(); ++k) {
      const double value = forest_.value(impasse.retreats[k].features);
      if (value < most || (best && value == most)) continue;
      best = k;
      most = value;
    }
    return best;
  }

 private:
  Forest forest_;
};

}  // namespace

std::unique_ptr<RetreatChooser> make_forest_chooser(std::string_view forest) {
  return std::make_unique<ForestChooser>(forest);
}

}  // namespace tessera::guided
