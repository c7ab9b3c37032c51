// Writes JSON objects and lists in place. All JSON output uses these functions, so that escaping is
// uniform.
//
//   JsonObject object(out);
//   object.text("status", "feasible");
//   object.list("sizes", sizes, [](Size s) { return json_number(s); });
//   object.close();
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/json_text.h"

namespace tessera {

/// Separator of entries of an object or list on one line.
inline constexpr std::string_view json_on_one_line = ", ";

template <typename Item, typename Write>
void write_list(std::string& out, const std::vector<Item>& items, std::string_view between,
                Write write) {
  out += '[';
  bool first = true;
  for (const Item& item : items) {
    if (!first) out += between;
    first = false;
    out += write(item);
  }
  out += ']';
}

/// The `<key>: <value>` entries of one object, separated by `between`.
class JsonObject {
 public:
  explicit JsonObject(std::string& out, std::string_view between = ",\n ")
      : out_(out), between_(between) {
    out_ += '{';
  }
  /// Begins an entry; the caller appends the value.
  std::string& entry(std::string_view key) {
    if (!first_) out_ += between_;
    first_ = false;
    out_ += json_string(key);
    out_ += ": ";
    return out_;
  }
  void text(std::string_view key, std::string_view value) { entry(key) += json_string(value); }
  void number(std::string_view key, std::int64_t value) { entry(key) += json_number(value); }
  void real(std::string_view key, double value) { entry(key) += json_number(value); }
  void truth(std::string_view key, bool value) { entry(key) += value ? "true" : "false"; }
  template <typename Item, typename Write>
  void list(std::string_view key, const std::vector<Item>& items, Write write,
            std::string_view between = json_on_one_line) {
    write_list(entry(key), items, between, write);
  }
  void texts(std::string_view key, const std::vector<std::string>& items) {
    list(key, items, [](const std::string& item) { return json_string(item); });
  }
  void close() { out_ += '}'; }

 private:
  std::string& out_;
  std::string_view between_;
  bool first_ = true;
};

/// An object on one line; `fill` writes the entries.
template <typename Fill>
[[nodiscard]] std::string json_object(Fill fill) {
  std::string out;
  JsonObject object(out, json_on_one_line);
  fill(object);
  object.close();
  return out;
}

}  // namespace tessera
