#include "explorer/store.h"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <thread>

namespace tessera::explorer {

namespace {

/// "tess": SQLite's application id of the file.
constexpr int application = 0x74657373;
constexpr int layout = 1;
/// Other processes hold the file for one small transaction at a time.
constexpr std::chrono::seconds patience{60};

/// Retries while other processes hold the file. SQLite does not call its own busy handler if two
/// connections wait for each other (sqlite.org/c3ref/busy_handler.html). This happens while both
/// switch the same new file to write-ahead logging. One of them has to release its lock first.
template <typename Ask>
int patiently(const Ask& ask) {
  const auto until = std::chrono::steady_clock::now() + patience;
  std::chrono::milliseconds pause{1};
  for (;;) {
    const int code = ask();
    const int primary = code & 0xff;
    const bool busy = primary == SQLITE_BUSY || primary == SQLITE_LOCKED;
    if (!busy || std::chrono::steady_clock::now() >= until) return code;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds{50});
  }
}

}  // namespace

struct Store::Connection {
  std::string path;
  sqlite3* base = nullptr;

  ~Connection() { sqlite3_close(base); }

  [[nodiscard]] std::string why() const {
    return base != nullptr ? sqlite3_errmsg(base) : "out of memory";
  }
  [[noreturn]] void cannot_open(const std::string& reason) const {
    throw BadInput(path + ": cannot be used as a store: " + reason,
                   "name another file with --store, or remove it");
  }
  [[noreturn]] void cannot_write() const { throw OutputError(path + ": " + why()); }

  void run(const char* text) const {
    std::string said;
    const int code = patiently([&] {
      const int now = sqlite3_exec(base, text, nullptr, nullptr, nullptr);
      if (now == SQLITE_OK) return now;
      said = why();
      if (sqlite3_get_autocommit(base) == 0)
        sqlite3_exec(base, "ROLLBACK", nullptr, nullptr, nullptr);
      return now;
    });
    if (code != SQLITE_OK) cannot_open(said);
  }
  [[nodiscard]] std::int64_t number(const char* text) const;
};

namespace {

/// One statement, prepared, bound and stepped through.
class Statement {
 public:
  Statement(sqlite3* base, std::string_view text) {
    code_ =
        sqlite3_prepare_v2(base, text.data(), static_cast<int>(text.size()), &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int at, const std::string& text) {
    if (good())
      code_ =
          sqlite3_bind_text64(statement_, at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
    return *this;
  }
  Statement& bind(int at, const std::optional<double>& value) {
    if (good())
      code_ =
          value ? sqlite3_bind_double(statement_, at, *value) : sqlite3_bind_null(statement_, at);
    return *this;
  }
  Statement& bind(int at, std::int64_t value) {
    if (good()) code_ = sqlite3_bind_int64(statement_, at, value);
    return *this;
  }
  /// Returns whether there is a row.
  bool step() {
    if (good())
      code_ = patiently([&] {
        sqlite3_reset(statement_);
        return sqlite3_step(statement_);
      });
    return code_ == SQLITE_ROW;
  }
  [[nodiscard]] bool done() const { return code_ == SQLITE_DONE; }
  [[nodiscard]] std::int64_t whole(int column) const {
    return sqlite3_column_int64(statement_, column);
  }
  [[nodiscard]] std::optional<double> real(int column) const {
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
    return sqlite3_column_double(statement_, column);
  }
  [[nodiscard]] std::string text(int column) const {
    const unsigned char* const begin = sqlite3_column_text(statement_, column);
    const auto length = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return begin == nullptr ? "" : std::string(reinterpret_cast<const char*>(begin), length);
  }

 private:
  [[nodiscard]] bool good() const {
    return code_ == SQLITE_OK || code_ == SQLITE_ROW || code_ == SQLITE_DONE;
  }
  sqlite3_stmt* statement_ = nullptr;
  int code_ = SQLITE_OK;
};

}  // namespace

std::int64_t Store::Connection::number(const char* text) const {
  Statement statement(base, text);
  if (!statement.step()) cannot_open(why());
  return statement.whole(0);
}

Store::Store(const std::string& path) : connection_(std::make_unique<Connection>()) {
  Connection& c = *connection_;
  c.path = path;
  if (sqlite3_open_v2(path.c_str(), &c.base,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX,
                      nullptr) != SQLITE_OK)
    c.cannot_open(c.why());
  sqlite3_busy_timeout(c.base, 1000);
  // Check first, so that foreign files are never modified. One transaction gives a consistent view,
  // because another process may be creating the file.
  c.run("BEGIN");
  const std::int64_t owner = c.number("PRAGMA application_id");
  if (owner != application && (owner != 0 || c.number("SELECT count(*) FROM sqlite_master") != 0))
    c.cannot_open("it is a database of another program");
  if (owner == application && c.number("PRAGMA user_version") != layout)
    c.cannot_open("another version of Tessera made it");
  c.run("COMMIT");
  c.run("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;");
  // Two processes may arrive here at once: the second finds the tables complete.
  c.run(
      "BEGIN IMMEDIATE;"
      "CREATE TABLE IF NOT EXISTS result (key TEXT PRIMARY KEY, status INTEGER NOT NULL,"
      " score REAL, bound REAL, cycles INTEGER NOT NULL, energy REAL NOT NULL,"
      " dram INTEGER NOT NULL, peak INTEGER NOT NULL, reason TEXT NOT NULL) WITHOUT ROWID;"
      "CREATE TABLE IF NOT EXISTS plan (key TEXT PRIMARY KEY, json TEXT NOT NULL);"
      "PRAGMA application_id=1952805747; PRAGMA user_version=1;"
      "COMMIT;");
  static_assert(application == 1952805747 && layout == 1);
}

Store::~Store() = default;

std::optional<KnownPlan> Store::find(const std::string& key) {
  const std::lock_guard guard(lock_);
  Statement statement(connection_->base,
                      "SELECT status, score, bound, cycles, energy, dram, peak, reason FROM result "
                      "WHERE key = ?");
  if (!statement.bind(1, key).step()) {
    if (!statement.done()) connection_->cannot_open(connection_->why());
    return std::nullopt;
  }
  KnownPlan known;
  const std::int64_t status = statement.whole(0);
  if (status < 0 || status > static_cast<std::int64_t>(SweepStatus::failed)) return std::nullopt;
  known.status = static_cast<SweepStatus>(status);
  known.score = statement.real(1);
  known.bound = statement.real(2);
  known.totals.latency_cycles = statement.whole(3);
  known.totals.energy_pj = statement.real(4).value_or(0);
  known.totals.dram_bytes = statement.whole(5);
  known.totals.peak_bytes = statement.whole(6);
  known.reason = statement.text(7);
  return known;
}

std::optional<std::string> Store::plan(const std::string& key) {
  const std::lock_guard guard(lock_);
  Statement statement(connection_->base, "SELECT json FROM plan WHERE key = ?");
  if (!statement.bind(1, key).step()) return std::nullopt;
  return statement.text(0);
}

void Store::keep(const std::string& key, const KnownPlan& known, const std::string& plan) {
  const std::lock_guard guard(lock_);
  Connection& c = *connection_;
  const auto simply = [&](const char* text) {
    return patiently([&] { return sqlite3_exec(c.base, text, nullptr, nullptr, nullptr); }) ==
           SQLITE_OK;
  };
  if (!simply("BEGIN IMMEDIATE")) c.cannot_write();
  bool good = false;
  {
    Statement row(c.base, "INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    row.bind(1, key).bind(2, static_cast<std::int64_t>(known.status));
    row.bind(3, known.score).bind(4, known.bound).bind(5, known.totals.latency_cycles);
    row.bind(6, std::optional(known.totals.energy_pj)).bind(7, known.totals.dram_bytes);
    row.bind(8, known.totals.peak_bytes).bind(9, known.reason).step();
    good = row.done();
  }
  if (good && !plan.empty()) {
    Statement row(c.base, "INSERT OR REPLACE INTO plan VALUES (?, ?)");
    row.bind(1, key).bind(2, plan).step();
    good = row.done();
  }
  if (good && simply("COMMIT")) return;
  const std::string why = c.why();
  simply("ROLLBACK");
  throw OutputError(c.path + ": " + why);
}

void Store::keep_plan(const std::string& key, const std::string& plan) {
  const std::lock_guard guard(lock_);
  Statement row(connection_->base, "INSERT OR REPLACE INTO plan VALUES (?, ?)");
  row.bind(1, key).bind(2, plan).step();
  if (!row.done()) connection_->cannot_write();
}

}  // namespace tessera::explorer
