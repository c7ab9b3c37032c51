// A hardware profile with changed values, for sweeps and searches over machines.
//
//   Profile profile("nvdla-like");                                     // a name or a file
//   profile.set("memories.cbuf.bank_size", "16 KiB");
//   NetworkPlan plan = plan_network(net, profile.hardware(), {});      // plan.h
//
//   // Several at once: only what they come to together has to make sense.
//   profile.set({{"memories.cbuf.banks", "32"}, {"memories.cbuf.bank_size", "8 KiB"}});
//
// A key is the path in the profile's YAML, joined by dots. A value is written as in YAML, with its
// unit; `null` removes the key. An entry of a list may be named by its number (`engines.0.lanes`).
// A value that the profile reader rejects is rejected with the same message.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api.h"
#include "errors.h"
#include "hardware.h"
#include "silicon.h"

namespace tessera {

/// Key and value.
using ProfileChange = std::pair<std::string, std::string>;

/// A profile and its changes.
class TESSERA_API Profile {
 public:
  /// Loads a profile as load_profile() of files.h does.
  explicit Profile(const std::string& name_or_path, const std::vector<std::string>& folders = {});
  /// `file` is used in messages, and `inherit` is relative to it.
  static Profile from_text(std::string_view text, const std::string& file,
                           const std::vector<std::string>& folders = {});
  Profile(const Profile&);
  Profile& operator=(const Profile&);
  Profile(Profile&&) noexcept;
  Profile& operator=(Profile&&) noexcept;
  ~Profile();

  [[nodiscard]] const Hardware& hardware() const;

  /// Suspicious statements of the files, such as memory sizes in a unit that differs from the
  /// others.
  [[nodiscard]] std::vector<std::string> notes() const;

  /// The parts that the profile's `silicon` section prices; empty without one.
  [[nodiscard]] std::vector<SiliconPart> silicon() const;

  /// Change one key, or several at once: then only the final state has to be valid.
  /// ensure: throws BadInput for an unknown key or an invalid value, and leaves the profile
  /// unchanged.
  void set(const std::string& key, const std::string& value);
  void set(const std::vector<ProfileChange>& changes);
  /// The differences from the files, in the order of the changes.
  [[nodiscard]] std::vector<ProfileChange> changes() const;

  /// The paths of all values of the profile that are not maps.
  [[nodiscard]] std::vector<std::string> keys() const;
  [[nodiscard]] bool has(std::string_view key) const;
  /// The value as written.
  /// ensure: throws BadInput if the profile does not have the key.
  [[nodiscard]] std::string get(std::string_view key) const;
  /// The profile with its changes, as a self-contained file.
  [[nodiscard]] std::string yaml() const;

 private:
  struct State;
  explicit Profile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tessera
