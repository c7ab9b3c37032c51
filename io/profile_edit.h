// A profile of which single figures are changed: what a sweep over hardware asks for.
//
//   EditableProfile profile(read_file(path), path.string(), folders);
//   profile.change({{"memories.cbuf.bank_size", "16 KiB"}, {"memories.cbuf.banks", "8"}});
//   use(profile.hardware());
//
// The tree the files came to is kept and read again after every change, so a key is known and a
// value is right exactly where the reader of profiles says so, with its units and its sentences.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/tree.h"
#include "tessera/hardware.h"
#include "tessera/silicon.h"

namespace tessera::io {

/// A dotted path and the value as it would stand in the file; `null` takes the key away.
struct KeyChange {
  std::string key{};
  std::string value{};
};

/// A value of any tree (also one of JSON) as a change of a profile would have it.
[[nodiscard]] std::string profile_text(const Node& value);

class EditableProfile {
 public:
  /// As read_hardware_yaml().
  EditableProfile(std::string_view text, const std::string& file,
                  std::span<const std::filesystem::path> folders = {});

  [[nodiscard]] const Hardware& hardware() const { return hardware_; }

  [[nodiscard]] std::vector<SiliconPart> silicon() const;
  /// As Profile::notes().
  [[nodiscard]] std::vector<std::string> notes() const;

  /// All of them or, where one is refused (InputError), none. An entry of a map or list may be
  /// named by its number: `engines.0.lanes`.
  void change(std::span<const KeyChange> changes);

  /// What was changed so far, the newest last; a key that was changed again stands once.
  [[nodiscard]] const std::vector<KeyChange>& changes() const { return changes_; }

  /// Paths of every value that is no map, in the order of the profile, but for `provenance` and
  /// `inherit`.
  [[nodiscard]] std::vector<std::string> keys() const;
  /// Is there anything under this path?
  [[nodiscard]] bool has(std::string_view key) const;
  /// The value as it stands; lists and maps on one line. Throws InputError where there is none.
  [[nodiscard]] std::string value(std::string_view key) const;
  /// The whole as a file that inherits from none and reads back as the same hardware.
  [[nodiscard]] std::string yaml() const;

 private:
  Sources sources_;
  Node base_;
  Node tree_;
  Hardware hardware_;
  std::vector<std::filesystem::path> folders_;
  /// What scores of changed machines are relative to: the reference of the files, or the machine
  /// they describe.
  std::shared_ptr<const Hardware> reference_;
  std::vector<KeyChange> changes_;
};

}  // namespace tessera::io
