// Objects and lists of a JSON document, written in place.
//
//   JsonObject object(out);
//   object.text("status", "feasible");
//   write_list(object.entry("sizes"), sizes, ", ", [](Size s) { return json_number(s); });
//   object.close();
//
// Private to io/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/json_text.h"

namespace tessera {

/// `,\n <key>: <value>` entries of one object.
class JsonObject {
 public:
  explicit JsonObject(std::string& out) : out_(out) { out_ += '{'; }
  /// Begins an entry; the value is up to the caller.
  std::string& entry(std::string_view key) {
    out_ += first_ ? "" : ",\n ";
    first_ = false;
    out_ += json_string(key);
    out_ += ": ";
    return out_;
  }
  void text(std::string_view key, std::string_view value) { entry(key) += json_string(value); }
  void number(std::string_view key, std::int64_t value) { entry(key) += json_number(value); }
  void real(std::string_view key, double value) { entry(key) += json_number(value); }
  void truth(std::string_view key, bool value) { entry(key) += value ? "true" : "false"; }
  void close() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

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

}  // namespace tessera
