#include "app/loopglassc/baseline.h"

#include "core/support/readable_bytes.h"
#include "core/support/readable_time.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct Size {
  const char *key, *words;
};
// In bytes, and what a person calls them.
constexpr std::array sizes{
    Size{"arena_bytes", "the arena"}, Size{"workspace_bytes", "scratch memory of kernels"},
    Size{"constant_bytes", "constants"}, Size{"packed_bytes", "constants packed for kernels"}};

const Json* number(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? &*found : nullptr;
}

struct Change {
  const char* of;
  Json name;
  const char* field;
  Json before, after;
  bool is_worse;
  std::string sentence;
};
using Changes = std::vector<Change>;

Change came(const char* of, const std::string& name) {
  return {of, name, "name", nullptr, name, false, fmt::format("{} {} is new", of, name)};
}
Change went(const char* of, const std::string& name) {
  return {of, name, "name", name, nullptr, false, fmt::format("{} {} is gone", of, name)};
}

std::string percent(double before, double after) {
  return before > 0 ? fmt::format(" ({:+.1f} %)", 100 * (after - before) / before) : "";
}

void compare_sizes(const Json& before, const Json& after, Changes& found) {
  for (const Size& size : sizes) {
    const Json *was = number(before, size.key), *is = number(after, size.key);
    if (!was || !is || *was == *is) continue;
    found.push_back(
        {"network", nullptr, size.key, *was, *is, *is > *was,
         fmt::format("{} {} instead of {}{}", size.words, readable_bytes(is->get<std::int64_t>()),
                     readable_bytes(was->get<std::int64_t>()),
                     percent(was->get<double>(), is->get<double>()))});
  }
}

// Repeated layers have kernels of one name: they are told apart by their order.
std::map<std::string, const Json*> kernels_by_name(const Json& document) {
  std::map<std::string, const Json*> kernels;
  if (!document.contains("kernels")) return kernels;
  std::map<std::string, int> seen;
  for (const Json& kernel : document["kernels"]) {
    const std::string name = kernel["name"];
    const int count = ++seen[name];
    kernels.emplace(count > 1 ? fmt::format("{} ({})", name, count) : name, &kernel);
  }
  return kernels;
}

struct Times {
  double median, low, high;
};
std::optional<Times> times_of(const Json& json) {
  const Json *median = number(json, "median_us"), *low = number(json, "lower_quartile_us"),
             *high = number(json, "upper_quartile_us");
  if (!median || !low || !high) return std::nullopt;
  return Times{median->get<double>(), low->get<double>(), high->get<double>()};
}

// Beyond the spread of both, and the tolerance. `name`: null, of the network.
std::optional<Change> compare_times(const Json& name, const Json& before, const Json& after) {
  const auto was = times_of(before), is = times_of(after);
  if (!was || !is) return std::nullopt;
  const bool slower = is->low > was->high && is->median > was->median * (1 + time_tolerance);
  const bool faster = is->high < was->low && was->median > is->median * (1 + time_tolerance);
  if (!slower && !faster) return std::nullopt;
  const bool is_kernel = name.is_string();
  return Change{
      is_kernel ? "kernel" : "network",
      name,
      "median_us",
      was->median,
      is->median,
      slower && !is_kernel,
      fmt::format("{} takes {} instead of {}{}",
                  is_kernel ? "kernel " + name.get<std::string>() : "the network",
                  readable_time(Microseconds(is->median)), readable_time(Microseconds(was->median)),
                  percent(was->median, is->median))};
}

void compare_kernels(const Json& before, const Json& after, Changes& found) {
  const auto was = kernels_by_name(before), is = kernels_by_name(after);
  for (const auto& [name, kernel] : is)
    if (!was.contains(name)) found.push_back(came("kernel", name));
  for (const auto& [name, kernel] : was)
    if (!is.contains(name)) found.push_back(went("kernel", name));
  const Json &count_before = before["kernel_count"], &count_after = after["kernel_count"];
  if (count_before != count_after)
    found.push_back({"network", nullptr, "kernel_count", count_before, count_after,
                     count_after > count_before,
                     fmt::format("{} kernels instead of {}", count_after.get<std::int64_t>(),
                                 count_before.get<std::int64_t>())});
  for (const auto& [name, kernel] : is)
    if (const auto old = was.find(name); old != was.end())
      if (auto change = compare_times(name, *old->second, *kernel))
        found.push_back(*std::move(change));
}

std::map<std::string, const Json*> edges_by_ends(const Json& document) {
  std::map<std::string, const Json*> edges;
  if (!document.contains("edges")) return edges;
  for (const Json& edge : document["edges"])
    edges.emplace(fmt::format("{} -> {}", edge["producer"].get<std::string>(),
                              edge["consumer"].get<std::string>()),
                  &edge);
  return edges;
}

void compare_edges(const Json& before, const Json& after, Changes& found) {
  const auto was = edges_by_ends(before), is = edges_by_ends(after);
  for (const auto& [ends, edge] : is) {
    const auto old = was.find(ends);
    if (old == was.end()) {
      found.push_back(came("edge", ends));
      continue;
    }
    const Json &before_that = (*old->second)["reason"], &now = (*edge)["reason"];
    if (now == before_that) continue;
    found.push_back({"edge", ends, "reason", before_that, now,
                     (*old->second)["fused"].get<bool>() && !(*edge)["fused"].get<bool>(),
                     fmt::format("edge {} is {} instead of {}", ends, now.get<std::string>(),
                                 before_that.get<std::string>())});
  }
  for (const auto& [ends, edge] : was)
    if (!is.contains(ends)) found.push_back(went("edge", ends));
}

struct Field {
  const char* key;
  bool (Json::*is_right)() const;
};
constexpr std::array numbers{"kernel_count",      "arena_bytes",  "workspace_bytes",
                             "constant_bytes",    "packed_bytes", "lower_quartile_us",
                             "upper_quartile_us", "median_us"};
constexpr std::array fields_of_kernels{Field{"name", &Json::is_string}};
constexpr std::array fields_of_edges{
    Field{"producer", &Json::is_string}, Field{"consumer", &Json::is_string},
    Field{"reason", &Json::is_string}, Field{"fused", &Json::is_boolean}};

std::string missing_in_list(const Json& document, const char* list, std::span<const Field> fields) {
  const auto found = document.find(list);
  if (found == document.end() || !found->is_array()) return list;
  for (std::size_t i = 0; i < found->size(); ++i) {
    const Json& entry = (*found)[i];
    for (const Field& field : fields)
      if (!entry.is_object() || !entry.contains(field.key) || !(entry[field.key].*field.is_right)())
        return fmt::format("{}[{}].{}", list, i, field.key);
  }
  return {};
}

}  // namespace

Json changes(const Json& before, const Json& after) {
  Changes found;
  compare_kernels(before, after, found);
  compare_edges(before, after, found);
  compare_sizes(before, after, found);
  if (auto change = compare_times(nullptr, before, after)) found.push_back(*std::move(change));
  Json list = Json::array();
  for (Change& change : found)
    list.push_back({{"of", change.of},
                    {"name", std::move(change.name)},
                    {"field", change.field},
                    {"before", std::move(change.before)},
                    {"after", std::move(change.after)},
                    {"worse", change.is_worse},
                    {"sentence", std::move(change.sentence)}});
  return list;
}

std::string incomparable(const Json& before, const Json& after) {
  for (const char* key : numbers)
    if (number(after, key) && !number(before, key)) return key;
  if (after.contains("kernels"))
    if (auto missing = missing_in_list(before, "kernels", fields_of_kernels); !missing.empty())
      return missing;
  if (after.contains("edges")) return missing_in_list(before, "edges", fields_of_edges);
  return {};
}

}  // namespace loopglass::app
