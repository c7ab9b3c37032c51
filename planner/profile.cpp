#include "tessera/profile.h"

#include "io/files.h"
#include "io/hardware_yaml.h"
#include "io/profile_edit.h"
#include "tessera/files.h"

namespace tessera {

struct Profile::State {
  EditableProfile profile;
};

namespace {

template <typename Function>
auto outside(Function&& function) {
  try {
    return function();
  } catch (const InputError& error) {
    throw BadInput(error.what(), error.hint);
  }
}

EditableProfile read_profile(const std::string& name_or_path,
                             const std::vector<std::string>& first) {
  return outside([&] {
    const std::vector<std::filesystem::path> shelves = profile_shelves(first);
    const std::filesystem::path path = find_profile(name_or_path, shelves);
    return EditableProfile(read_file(path), path.string(), shelves);
  });
}

}  // namespace

Profile::Profile(std::unique_ptr<State> state) : state_(std::move(state)) {}
Profile::Profile(const std::string& name_or_path, const std::vector<std::string>& shelves)
    : state_(std::make_unique<State>(State{read_profile(name_or_path, shelves)})) {}
Profile::Profile(const Profile& other) : state_(std::make_unique<State>(*other.state_)) {}
Profile& Profile::operator=(const Profile& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
Profile::Profile(Profile&&) noexcept = default;
Profile& Profile::operator=(Profile&&) noexcept = default;
Profile::~Profile() = default;

Profile Profile::from_text(std::string_view text, const std::string& file,
                           const std::vector<std::string>& shelves) {
  return Profile(outside([&] {
    return std::make_unique<State>(State{EditableProfile(text, file, profile_shelves(shelves))});
  }));
}

const Hardware& Profile::hardware() const {
  return state_->profile.hardware();
}

std::vector<SiliconPart> Profile::silicon() const {
  return outside([&] { return state_->profile.silicon(); });
}

void Profile::set(const std::string& key, const std::string& value) {
  set({{key, value}});
}

void Profile::set(const std::vector<ProfileChange>& changes) {
  std::vector<KeyChange> wanted;
  wanted.reserve(changes.size());
  for (const auto& [key, value] : changes) wanted.push_back({key, value});
  outside([&] { state_->profile.change(wanted); });
}

std::vector<ProfileChange> Profile::changes() const {
  std::vector<ProfileChange> changes;
  for (const KeyChange& each : state_->profile.changes())
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
  return outside([&] { return state_->profile.value(key); });
}

std::string Profile::yaml() const {
  return state_->profile.yaml();
}

}  // namespace tessera
