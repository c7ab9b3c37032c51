// Speculative answers, made by idle threads before they are requested.
//
//   if (const auto one = ahead.begin(key)) one->promise.set_value(make(one->tiles));
//   if (const auto one = ahead.take(key)) use(one->answer.get());     // possibly another thread
//
// A speculative answer stays invisible until it is taken: the contents of a plan memory must not
// depend on thread timing. Private to planner/.
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
    std::promise<Answer> promise;  ///< null: the evaluation failed
    std::shared_future<Answer> answer = promise.get_future().share();
    bool searched = false;
    Tiles tiles;  ///< added to the memory when the answer is taken
  };

  /// The caller makes the answer. Null: it was begun before.
  [[nodiscard]] std::shared_ptr<One> begin(const std::string& key) {
    const auto one = std::make_shared<One>();
    const std::lock_guard guard(lock_);
    return begun_.try_emplace(key, one).second ? one : nullptr;
  }
  /// Passes the answer to this caller only. Null: it was not begun.
  [[nodiscard]] std::shared_ptr<One> take(const std::string& key) {
    const std::lock_guard guard(lock_);
    const auto found = begun_.find(key);
    if (found == begun_.end()) return nullptr;
    std::shared_ptr<One> one = std::move(found->second);
    begun_.erase(found);
    return one;
  }
  /// True while another thread evaluates the answer.
  [[nodiscard]] bool under_way(const std::string& key) const {
    const std::lock_guard guard(lock_);
    const auto found = begun_.find(key);
    return found != begun_.end() &&
           found->second->answer.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
  }
  /// Discards an answer that is not needed any more.
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
