#include "core/support/control_groups.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace loopglass {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool lists(const std::string& words, std::string_view word) {
  const std::vector<std::string> all = split(words, ',');
  return std::find(all.begin(), all.end(), word) != all.end();
}

// Blanks and backslashes stand in mountinfo as three octal digits: "\040".
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 3 >= text.size()) {
      plain += text[i];
      continue;
    }
    plain +=
        static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + text[i + 3] - '0');
    i += 3;
  }
  return plain;
}

// A hierarchy of groups where it is mounted: the group `top` is what one sees at `folder`.
struct Mount {
  int version;
  fs::path top, folder;
};

std::vector<Mount> mounts_of(std::string_view controller, const fs::path& root) {
  std::vector<Mount> mounts;
  std::ifstream table(root / "proc/self/mountinfo");
  // number parent device top folder options optional... - type source options
  for (std::string line; std::getline(table, line);) {
    const auto bar = line.find(" - ");
    if (bar == std::string::npos) continue;
    const auto place = split(line.substr(0, bar), ' '), kind = split(line.substr(bar + 3), ' ');
    if (place.size() < 5 || kind.size() < 3) continue;
    const int version = kind[0] == "cgroup2"                                ? 2
                        : kind[0] == "cgroup" && lists(kind[2], controller) ? 1
                                                                            : 0;
    if (version == 0) continue;
    const fs::path folder = unescaped(place[4]);
    mounts.push_back({version, unescaped(place[3]), root / folder.relative_path()});
  }
  return mounts;
}

// The path of this process's group, seen from the top of its hierarchy.
std::optional<fs::path> own_group(int version, std::string_view controller, const fs::path& root) {
  std::ifstream table(root / "proc/self/cgroup");
  // number:controllers:path, and of version 2 "0::path"
  for (std::string line; std::getline(table, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool own = version == 2 ? line.starts_with("0::") : lists(controllers, controller);
    if (own) return fs::path(line.substr(second + 1));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ControlGroup::read(std::string_view file) const {
  std::ifstream stream(folder / file);
  if (!stream) return std::nullopt;
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<ControlGroup> control_groups(std::string_view controller, const fs::path& root) {
  std::vector<ControlGroup> groups;
  for (const Mount& mount : mounts_of(controller, root)) {
    const auto group = own_group(mount.version, controller, root);
    if (!group) continue;
    // What lies outside of what is mounted (a container sees itself as the top) cannot be seen.
    const fs::path below = group->lexically_relative(mount.top);
    const bool seen = !below.empty() && *below.begin() != "..";
    fs::path folder = seen && below != "." ? mount.folder / below : mount.folder;
    for (; folder != mount.folder; folder = folder.parent_path())
      groups.push_back({mount.version, folder});
    groups.push_back({mount.version, mount.folder});
  }
  return groups;
}

}  // namespace loopglass
