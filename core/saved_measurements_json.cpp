// Times and verdicts as JSON, member by member: what members each object has is said once, for
// writing and for reading.
#include "core/saved_roofline.h"
#include "core/saved_times.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace loopglass {
namespace {

using Json = nlohmann::ordered_json;

// Of an object: a static visit(object, visit) that says visit("name", object.member) of each
// member. Optional ones may be missing; no others may, and nothing else is there. Of an
// enumeration: static name(value), and named(text), nullopt where there is none of that name.
template <class T>
struct Kept;
template <class T>
concept Enumeration = std::is_enum_v<T> && !std::is_same_v<T, Code>;

constexpr double largest_number = 1e18;
constexpr std::int64_t largest_count = std::int64_t{1} << 62;

// --- writing ---

Json json_of(bool value) { return value; }
Json json_of(int value) { return value; }
Json json_of(std::uint32_t value) { return value; }
Json json_of(std::int64_t value) { return value; }
// There are no infinities in JSON, and one number that cannot be read would lose all the rest.
Json json_of(double value) {
  return std::isfinite(value) ? std::clamp(value, 0.0, largest_number) : 0.0;
}
Json json_of(Code value) { return static_cast<int>(value); }
Json json_of(const std::string& value) { return value; }
template <Enumeration T>
Json json_of(const T& value) {
  return std::string(Kept<T>::name(value));
}
template <class T>
Json json_of(const std::vector<T>& values);
template <class T>
Json json_of(const std::optional<T>& value);

template <class T>
Json json_of(const T& object) {
  Json json = Json::object();
  Kept<T>::visit(object, [&](const char* name, const auto& member) {
    Json written = json_of(member);
    if (!written.is_null()) json[name] = std::move(written);
  });
  return json;
}
template <class T>
Json json_of(const std::vector<T>& values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(json_of(value));
  return json;
}
template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : Json();
}

// --- reading ---

std::unexpected<Diagnostic> refuse_kept(const std::string& path, std::string what) {
  return fail(Code::SessionCorrupt, std::move(what), path, "measure again, and save again");
}

Result<void> read_member(const Json& json, const std::string& path, bool& value) {
  if (!json.is_boolean()) return refuse_kept(path, "expected true or false");
  value = json.get<bool>();
  return {};
}

template <class T>
Result<void> read_count(const Json& json, const std::string& path, T& value, std::int64_t most) {
  const bool fits =
      json.is_number_unsigned() && json.get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
  if (!fits) return refuse_kept(path, fmt::format("expected a whole number from 0 to {}", most));
  value = static_cast<T>(json.get<std::uint64_t>());
  return {};
}
Result<void> read_member(const Json& json, const std::string& path, int& value) {
  return read_count(json, path, value, 1 << 30);
}
Result<void> read_member(const Json& json, const std::string& path, std::uint32_t& value) {
  return read_count(json, path, value, 1 << 30);
}
Result<void> read_member(const Json& json, const std::string& path, std::int64_t& value) {
  return read_count(json, path, value, largest_count);
}

Result<void> read_member(const Json& json, const std::string& path, double& value) {
  if (!json.is_number()) return refuse_kept(path, "expected a number");
  value = json.get<double>();
  if (!(value >= 0 && value <= largest_number))
    return refuse_kept(path, fmt::format("expected a number from 0 to {}", largest_number));
  return {};
}

Result<void> read_member(const Json& json, const std::string& path, std::string& value) {
  if (!json.is_string()) return refuse_kept(path, "expected a string");
  value = json.get<std::string>();
  return {};
}

Result<void> read_member(const Json& json, const std::string& path, Code& value) {
  int number = 0;
  TRY_VOID(read_member(json, path, number));
  switch (static_cast<Code>(number)) {
#define CODE(name, number, title) case Code::name:
    LOOPGLASS_DIAGNOSTIC_CODES(CODE)
#undef CODE
    value = static_cast<Code>(number);
    return {};
  }
  return refuse_kept(path, fmt::format("there is no diagnostic LG{}", number));
}

template <Enumeration T>
Result<void> read_member(const Json& json, const std::string& path, T& value) {
  std::string name;
  TRY_VOID(read_member(json, path, name));
  const std::optional<T> found = Kept<T>::named(name);
  if (!found) return refuse_kept(path, fmt::format("there is no '{}' here", name));
  value = *found;
  return {};
}

template <class T>
Result<void> read_member(const Json& json, const std::string& path, std::vector<T>& values);
template <class T>
Result<void> read_member(const Json& json, const std::string& path, std::optional<T>& value);

// Each member is there, but for those that may be missing, and nothing else is.
template <class T>
Result<void> read_member(const Json& json, const std::string& path, T& object) {
  if (!json.is_object()) return refuse_kept(path, "expected an object");
  Result<void> done;
  std::size_t found = 0;
  Kept<T>::visit(object, [&]<class Member>(const char* name, Member& member) {
    if (!done) return;
    const auto there = json.find(name);
    if (there != json.end()) {
      ++found;
      done = read_member(*there, path + "." + name, member);
    } else if constexpr (!requires { member.has_value(); }) {
      done = refuse_kept(path, fmt::format("'{}' is missing", name));
    }
  });
  if (done && found != json.size()) return refuse_kept(path, "something here is not known");
  return done;
}

template <class T>
Result<void> read_member(const Json& json, const std::string& path, std::vector<T>& values) {
  if (!json.is_array()) return refuse_kept(path, "expected a list");
  values.resize(json.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    TRY_VOID(read_member(json[i], fmt::format("{}[{}]", path, i), values[i]));
  return {};
}

template <class T>
Result<void> read_member(const Json& json, const std::string& path, std::optional<T>& value) {
  return read_member(json, path, value.emplace());
}

// As text, which parses back to an equal object.
template <class T>
std::string kept_text(const T& object) {
  return json_of(object).dump(2, ' ', false, Json::error_handler_t::replace);
}
// SessionCorrupt, with the place below `path` where something is wrong.
template <class T>
Result<T> kept_from_text(std::string_view text, const std::string& path) {
  T object;
  TRY_VOID(read_member(Json::parse(text, nullptr, false), path, object));
  return object;
}

// --- what members there are ---

template <>
struct Kept<runtime::Statistics> {
  template <class Object, class Visit>
  static void visit(Object& statistics, const Visit& visit) {
    visit("median_ms", statistics.median_ms);
    visit("lower_quartile_ms", statistics.lower_quartile_ms);
    visit("upper_quartile_ms", statistics.upper_quartile_ms);
    visit("minimum_ms", statistics.minimum_ms);
    visit("rounds", statistics.rounds);
  }
};

template <>
struct Kept<MachineLoad> {
  template <class Object, class Visit>
  static void visit(Object& load, const Visit& visit) {
    visit("others", load.others);
    visit("processors", load.processors);
  }
};

template <>
struct Kept<Diagnostic> {
  template <class Object, class Visit>
  static void visit(Object& missing, const Visit& visit) {
    visit("code", missing.code);
    visit("what", missing.what);
    visit("where", missing.where);
    visit("hint", missing.hint);
  }
};

template <>
struct Kept<runtime::KernelTiming> {
  template <class Object, class Visit>
  static void visit(Object& kernel, const Visit& visit) {
    visit("group", kernel.group.value);
    visit("name", kernel.name);
    visit("time", kernel.time);
    visit("flops", kernel.flops);
    visit("bytes", kernel.bytes);
    visit("gflops", kernel.gflops);
    visit("gigabytes_per_second", kernel.gigabytes_per_second);
    visit("is_view", kernel.is_view);
    visit("missing", kernel.missing);
  }
};

template <>
struct Kept<SavedTimes> {
  template <class Object, class Visit>
  static void visit(Object& times, const Visit& visit) {
    visit("when", times.when);
    visit("plan", times.of.plan);
    visit("machine", times.of.machine);
    visit("compiler", times.of.compiler);
    visit("schedules", times.of.schedules);
    visit("threads", times.report.threads);
    visit("shortage", times.report.shortage);
    visit("network", times.report.network);
    visit("fresh_outputs", times.report.fresh_outputs);
    visit("kernels", times.report.kernels);
    visit("flops", times.report.flops);
    visit("arena_bytes", times.report.arena_bytes);
    visit("arena_lower_bound", times.report.arena_lower_bound);
    visit("output_bytes", times.report.output_bytes);
    visit("load", times.report.load);
    visit("rounds", times.rounds);
  }
};

template <>
struct Kept<roofline::Bound> {
  static std::string_view name(roofline::Bound bound) { return roofline::name(bound); }
  static std::optional<roofline::Bound> named(std::string_view text) {
    return roofline::bound_named(text);
  }
};

template <>
struct Kept<roofline::Experiment> {
  static std::string_view name(roofline::Experiment each) { return roofline::name(each); }
  static std::optional<roofline::Experiment> named(std::string_view text) {
    return roofline::experiment_named(text);
  }
};

template <>
struct Kept<DataType> {
  static std::string_view name(DataType type) { return loopglass::name(type); }
  static std::optional<DataType> named(std::string_view text) { return data_type_named(text); }
};

template <>
struct Kept<roofline::LevelRoof> {
  template <class Object, class Visit>
  static void visit(Object& level, const Visit& visit) {
    visit("name", level.name);
    visit("bytes", level.bytes);
    visit("gigabytes_per_second", level.gigabytes_per_second);
  }
};

template <>
struct Kept<roofline::Roofs> {
  template <class Object, class Visit>
  static void visit(Object& roofs, const Visit& visit) {
    visit("threads", roofs.threads);
    visit("float32_gflops", roofs.float32_gflops);
    visit("float64_gflops", roofs.float64_gflops);
    visit("byte_products_gflops", roofs.byte_products_gflops);
    visit("levels", roofs.levels);
    visit("launch_us", roofs.launch_microseconds);
    visit("gigahertz", roofs.gigahertz);
  }
};

template <>
struct Kept<roofline::Traffic> {
  template <class Object, class Visit>
  static void visit(Object& traffic, const Visit& visit) {
    visit("l1", traffic.l1);
    visit("l2", traffic.l2);
    visit("l3", traffic.l3);
    visit("memory", traffic.memory);
    visit("flops", traffic.flops);
    visit("useful_flops", traffic.useful_flops);
    visit("type", traffic.type);
  }
};

template <>
struct Kept<roofline::Ceiling> {
  template <class Object, class Visit>
  static void visit(Object& ceiling, const Visit& visit) {
    visit("bound", ceiling.bound);
    visit("time_ms", ceiling.milliseconds);
    visit("share", ceiling.share);
  }
};

template <>
struct Kept<roofline::Trial> {
  template <class Object, class Visit>
  static void visit(Object& trial, const Visit& visit) {
    visit("experiment", trial.experiment);
    visit("time_ms", trial.milliseconds);
  }
};

template <>
struct Kept<roofline::Verdict> {
  template <class Object, class Visit>
  static void visit(Object& verdict, const Visit& visit) {
    visit("time_ms", verdict.milliseconds);
    visit("threads", verdict.threads);
    visit("traffic", verdict.traffic);
    visit("ceilings", verdict.ceilings);
    visit("trials", verdict.trials);
    visit("bound", verdict.bound);
    visit("sentence", verdict.sentence);
    visit("notes", verdict.notes);
    visit("otherwise_ms", verdict.otherwise_ms);
  }
};

template <>
struct Kept<roofline::PipelineComparison> {
  template <class Object, class Visit>
  static void visit(Object& pipeline, const Visit& visit) {
    visit("processor", pipeline.processor);
    visit("modelled_cycles", pipeline.modelled_cycles);
    visit("measured_cycles", pipeline.measured_cycles);
    visit("busiest_port", pipeline.busiest_port);
    visit("busy_cycles", pipeline.busy_cycles);
    visit("waiting_for_ports", pipeline.waiting_for_ports);
    visit("waiting_for_results", pipeline.waiting_for_results);
    visit("is_bound_by_memory", pipeline.is_bound_by_memory);
  }
};

template <>
struct Kept<TrailStep> {
  template <class Object, class Visit>
  static void visit(Object& step, const Visit& visit) {
    visit("step", step.step);
    visit("primitive", step.primitive);
    visit("line", step.line);
    visit("verdict", step.verdict);
  }
};

template <>
struct Kept<ScheduleTrail> {
  template <class Object, class Visit>
  static void visit(Object& trail, const Visit& visit) {
    visit("steps", trail.steps);
    visit("left_out", trail.left_out);
  }
};

template <>
struct Kept<KernelVerdict> {
  template <class Object, class Visit>
  static void visit(Object& kernel, const Visit& visit) {
    visit("group", kernel.group.value);
    visit("kernel", kernel.kernel);
    visit("network_ms", kernel.network_ms);
    visit("verdict", kernel.verdict);
    visit("pipeline", kernel.pipeline);
    visit("schedule", kernel.schedule);
    visit("trail", kernel.trail);
  }
};

template <>
struct Kept<JudgedKernel> {
  template <class Object, class Visit>
  static void visit(Object& judged, const Visit& visit) {
    visit("newest", judged.newest);
    visit("earlier", judged.earlier);
  }
};

template <>
struct Kept<SavedRoofline> {
  template <class Object, class Visit>
  static void visit(Object& roofline, const Visit& visit) {
    visit("when", roofline.when);
    visit("plan", roofline.of.plan);
    visit("machine", roofline.of.machine);
    visit("compiler", roofline.of.compiler);
    visit("threads", roofline.threads);
    visit("roofs", roofline.roofs);
    visit("kernels", roofline.kernels);
  }
};

}  // namespace

std::string to_json(const SavedTimes& times) { return kept_text(times); }

Result<SavedTimes> times_from_json(std::string_view text, const std::string& path) {
  SavedTimes times = TRY(kept_from_text<SavedTimes>(text, path));
  const bool counts = std::ranges::all_of(times.report.kernels, [&](const auto& kernel) {
    return kernel.group.value < times.report.kernels.size();
  });
  if (!counts)
    return refuse_kept(path + ".kernels", "a kernel's number is higher than there are kernels");
  if (times.report.threads < 1) return refuse_kept(path + ".threads", "nothing runs on no thread");
  return times;
}

std::string to_json(const SavedRoofline& roofline) { return kept_text(roofline); }

Result<SavedRoofline> roofline_from_json(std::string_view text, const std::string& path) {
  SavedRoofline found = TRY(kept_from_text<SavedRoofline>(text, path));
  if (found.roofs.levels.size() != roofline::levels.size())
    return refuse_kept(path + ".roofs.levels", "these are not the levels of a memory");
  const bool can_run =
      found.threads >= 1 && std::ranges::all_of(found.kernels, [](const JudgedKernel& judged) {
        return judged.newest.verdict.milliseconds > 0;
      });
  if (!can_run) return refuse_kept(path, "nothing runs on no thread, or in no time");
  return found;
}

}  // namespace loopglass
