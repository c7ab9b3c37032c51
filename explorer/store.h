// Stored plans: an SQLite file that several sweeps and processes may use at once.
//
//   Store store("out/store.sqlite");
//   if (const auto known = store.find(key)) return *known;
//   store.keep(key, planned, plan_json);
//
// Keys are fingerprints of everything a result depends on, including the version of Tessera, so
// entries never become invalid, only unused. Each plan is one transaction in a write-ahead log: it
// survives a kill of the process, and readers never wait. Private to explorer/.
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
  /// Creates the file if it does not exist. Throws BadInput if it is another kind of file or cannot
  /// be opened.
  explicit Store(const std::string& path);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  [[nodiscard]] std::optional<KnownPlan> find(const std::string& key);
  /// The whole plan as JSON, if it was stored.
  [[nodiscard]] std::optional<std::string> plan(const std::string& key);
  /// Replaces the stored summary, and the stored plan unless `plan` is empty. Throws OutputError.
  void keep(const std::string& key, const KnownPlan& known, const std::string& plan = {});
  void keep_plan(const std::string& key, const std::string& plan);

 private:
  struct Connection;
  std::mutex lock_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace tessera::explorer
