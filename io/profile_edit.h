// A profile with editable figures, for sweeps over hardware.
//
//   EditableProfile profile(read_file(path), path.string(), folders);
//   profile.change({{"memories.cbuf.bank_size", "16 KiB"}, {"memories.cbuf.banks", "8"}});
//   use(profile.hardware());
//
// The merged tree is kept and read again after every change. The reader of profiles therefore
// checks keys and values, with its units and its messages.
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

/// A dotted path and the value as written in a file; `null` removes the key.
struct KeyChange {
  std::string key{};
  std::string value{};
};

/// A value of any tree (including JSON) in the form of a change.
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

  /// Applies all of them or, if one is rejected (InputError), none. An entry of a map or list may
  /// be given by its number: `engines.0.lanes`.
  void change(std::span<const KeyChange> changes);

  /// The changes so far, the newest last; the last change of a key replaces earlier ones.
  [[nodiscard]] const std::vector<KeyChange>& changes() const { return changes_; }

  /// Paths of all values that are not maps, in the order of the profile, except for `provenance`
  /// and `inherit`.
  [[nodiscard]] std::vector<std::string> keys() const;
  /// Does the path exist?
  [[nodiscard]] bool has(std::string_view key) const;
  /// The current value; lists and maps on one line. Throws InputError if it does not exist.
  [[nodiscard]] std::string value(std::string_view key) const;
  /// The complete profile without inheritance; reads back as the same hardware.
  [[nodiscard]] std::string yaml() const;

 private:
  Sources sources_;
  Node base_;
  Node tree_;
  Hardware hardware_;
  std::vector<std::filesystem::path> folders_;
  /// The reference of scores of changed machines: the reference of the files, or else the machine
  /// they describe.
  std::shared_ptr<const Hardware> reference_;
  std::vector<KeyChange> changes_;
};

}  // namespace tessera::io
