// Answers that were made before anybody asked for them, by whoever had nothing else to do.
//
//   if (const auto one = ahead.begin(key)) one->promise.set_value(make(one->tiles));
//   if (const auto one = ahead.take(key)) use(one->answer.get());     // in another thread, say
//
// Until somebody takes it nothing else knows of it: what the memory of a plan knows must not depend
// on who had time for what. Private to planner/.
#pragma once

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "planner/tile_memo.h"

namespace tessera::planner {

struct CandidateAnswer;

/// Thread-safe.
class MadeAhead {
 public:
  using Answer = std::shared_ptr<const CandidateAnswer>;
  using Tiles = std::vector<std::pair<std::string, RememberedTile>>;
  struct One {
    std::promise<Answer> promise;  ///< null: it was not made after all
    std::shared_future<Answer> answer = promise.get_future().share();
    bool searched = false;
    Tiles tiles;  ///< that the memory gets when somebody takes it
  };

  /// To be made by the caller. Null: somebody is at it, or was.
  [[nodiscard]] std::shared_ptr<One> begin(const std::string& key) {
    const auto one = std::make_shared<One>();
    const std::lock_guard guard(lock_);
    return begun_.try_emplace(key, one).second ? one : nullptr;
  }
  /// For the caller alone. Null: nobody has begun it.
  [[nodiscard]] std::shared_ptr<One> take(const std::string& key) {
    const std::lock_guard guard(lock_);
    const auto found = begun_.find(key);
    if (found == begun_.end()) return nullptr;
    std::shared_ptr<One> one = std::move(found->second);
    begun_.erase(found);
    return one;
  }
  /// Is somebody just at it?
  [[nodiscard]] bool under_way(const std::string& key) const {
    const std::lock_guard guard(lock_);
    const auto found = begun_.find(key);
    return found != begun_.end() &&
           found->second->answer.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
  }
  /// Nobody is going to ask for it.
  void drop(const std::string& key, const std::shared_ptr<One>& one) {
    const std::lock_guard guard(lock_);
    const auto found = begun_.find(key);
    if (found != begun_.end() && found->second == one) begun_.erase(found);
  }

 private:
  mutable std::mutex lock_;
  std::map<std::string, std::shared_ptr<One>> begun_;
};

}  // namespace tessera::planner
