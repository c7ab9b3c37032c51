// What was planned, on disk: a file of SQLite that several sweeps and processes may use at once.
//
//   Store store("out/store.sqlite");
//   if (const auto known = store.find(key)) return *known;
//   store.keep(key, planned, plan_json);
//
// Keys are fingerprints of everything an answer depends on, the version of Tessera among it, so
// nothing in it is ever wrong: at worst nobody asks for it any more. A plan is one transaction in a
// write-ahead log: what was kept survives a kill, and readers wait for nobody. Private to
// explorer/.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tessera/explore.h"
#include "tessera/network_plan.h"

namespace tessera::explorer {

/// The summary of a plan.
struct KnownPlan {
  SweepStatus status = SweepStatus::limit;
  std::optional<double> score;
  std::optional<double> bound;
  Metrics totals;  ///< without peak_bandwidth
  std::string reason;
};

/// Thread-safe.
class Store {
 public:
  /// Makes the file where there is none. Throws BadInput for a file that is something else or
  /// cannot be opened.
  explicit Store(const std::string& path);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  [[nodiscard]] std::optional<KnownPlan> find(const std::string& key);
  /// The whole plan as JSON, where it was kept.
  [[nodiscard]] std::optional<std::string> plan(const std::string& key);
  /// Takes the place of what is known; a plan is kept as well unless it is empty. Throws
  /// OutputError.
  void keep(const std::string& key, const KnownPlan& known, const std::string& plan = {});
  void keep_plan(const std::string& key, const std::string& plan);

 private:
  struct Connection;
  std::mutex lock_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace tessera::explorer
