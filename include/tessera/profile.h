// A hardware profile of which single figures are changed: a sweep, or a search over machines.
//
//   Profile profile("nvdla-like");                                     // a name or a file
//   profile.set("memories.cbuf.bank_size", "16 KiB");
//   NetworkPlan plan = plan_network(net, profile.hardware(), {});      // plan.h
//
//   // Several at once: only what they come to together has to make sense.
//   profile.set({{"memories.cbuf.banks", "32"}, {"memories.cbuf.bank_size", "8 KiB"}});
//
// A key is the path to it in the profile's YAML, joined by dots; a value is written as it would be
// there, with its unit. `null` takes a key away. An entry may be named by its number
// (`engines.0.lanes`). What the reader of profiles would refuse is refused with its sentence.
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

class TESSERA_API Profile {
 public:
  /// As load_profile() of files.h.
  explicit Profile(const std::string& name_or_path, const std::vector<std::string>& folders = {});
  /// `file` is for messages and for what `inherit` is relative to.
  static Profile from_text(std::string_view text, const std::string& file,
                           const std::vector<std::string>& folders = {});
  Profile(const Profile&);
  Profile& operator=(const Profile&);
  Profile(Profile&&) noexcept;
  Profile& operator=(Profile&&) noexcept;
  ~Profile();

  [[nodiscard]] const Hardware& hardware() const;

  /// What the files say and probably do not mean: sizes of memories in other units than the rest.
  [[nodiscard]] std::vector<std::string> notes() const;

  /// Of what the profile's `silicon` puts a price on; empty where it has none.
  [[nodiscard]] std::vector<SiliconPart> silicon() const;

  /// Throw BadInput for a key that no profile has and a value it cannot have. Then nothing has
  /// changed. Of several, only what they come to together has to make sense.
  void set(const std::string& key, const std::string& value);
  void set(const std::vector<ProfileChange>& changes);
  /// What differs from the files, in the order it was changed.
  [[nodiscard]] std::vector<ProfileChange> changes() const;

  /// The path of everything the profile says that is no map.
  [[nodiscard]] std::vector<std::string> keys() const;
  [[nodiscard]] bool has(std::string_view key) const;
  /// The value as it is written. Throws BadInput where the profile does not say it.
  [[nodiscard]] std::string get(std::string_view key) const;
  /// The profile as it is now, as a file of its own.
  [[nodiscard]] std::string yaml() const;

 private:
  struct State;
  explicit Profile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tessera
