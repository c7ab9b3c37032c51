#include "tessera/profile.h"

#include "io/files.h"
#include "io/hardware_yaml.h"
#include "io/profile_edit.h"
#include "tessera/files.h"

namespace tessera {

struct Profile::State {
  io::EditableProfile profile;
};

}  // namespace tessera

namespace tessera::validation {

namespace {

io::EditableProfile read_profile(const std::string& name_or_path,
                                 const std::vector<std::string>& first) {
  const std::vector<std::filesystem::path> folders = profile_folders(first);
  const std::filesystem::path path = io::find_profile(name_or_path, folders);
  return io::EditableProfile(io::read_file(path), path.string(), folders);
}

}  // namespace

}  // namespace tessera::validation

namespace tessera {

Profile::Profile(std::unique_ptr<State> state) : state_(std::move(state)) {}
Profile::Profile(const std::string& name_or_path, const std::vector<std::string>& folders)
    : state_(std::make_unique<State>(State{validation::read_profile(name_or_path, folders)})) {}
Profile::Profile(const Profile& other) : state_(std::make_unique<State>(*other.state_)) {}
Profile& Profile::operator=(const Profile& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
Profile::Profile(Profile&&) noexcept = default;
Profile& Profile::operator=(Profile&&) noexcept = default;
Profile::~Profile() = default;

Profile Profile::from_text(std::string_view text, const std::string& file,
                           const std::vector<std::string>& folders) {
  return Profile(
      std::make_unique<State>(State{io::EditableProfile(text, file, profile_folders(folders))}));
}

const Hardware& Profile::hardware() const {
  return state_->profile.hardware();
}

std::vector<std::string> Profile::notes() const {
  return state_->profile.notes();
}

std::vector<SiliconPart> Profile::silicon() const {
  return state_->profile.silicon();
}

void Profile::set(const std::string& key, const std::string& value) {
  set({{key, value}});
}

void Profile::set(const std::vector<ProfileChange>& changes) {
  std::vector<io::KeyChange> wanted;
  wanted.reserve(changes.size());
  for (const auto& [key, value] : changes) wanted.push_back({key, value});
  state_->profile.change(wanted);
}

std::vector<ProfileChange> Profile::changes() const {
  std::vector<ProfileChange> changes;
  for (const io::KeyChange& each : state_->profile.changes())
    changes.emplace_back(each.key, each.value);
  return changes;
}

std::vector<std::string> Profile::keys() const {
  return state_->profile.keys();
}

bool Profile::has(std::string_view key) const {
  return state_->profile.has(key);
}

std::string Profile::get(std::string_view key) const {
  return state_->profile.value(key);
}

std::string Profile::yaml() const {
  return state_->profile.yaml();
}

}  // namespace tessera
