#include "core/measure/archive.h"
#include "core/measure/network_request.h"

#include <algorithm>

namespace loopglass::measure {

using runtime::Wiring;

static void fields(auto& archive, TensorType& type) {
  archive(type.type, type.shape, type.declared);
}
static void fields(Writer& archive, Tensor& tensor) {
  TensorType type = tensor.type();
  archive(type);
  archive.raw(tensor.data(), tensor.bytes());
}
static void fields(Reader& archive, Tensor& tensor) {
  TensorType type;
  archive(type);
  const auto is_extent = [](std::int64_t extent) { return extent >= 0; };
  const auto count = std::ranges::all_of(type.shape, is_extent) && type.type <= DataType::Bool
                         ? checked_element_count(type.shape)
                         : std::nullopt;
  if (!count || *count > static_cast<std::int64_t>(archive.left())) return archive.refuse();
  tensor = Tensor(std::move(type));
  archive.raw(tensor.data(), tensor.bytes());
}
static void fields(auto& archive, Wiring::Place& place) {
  archive(place.memory, place.index, place.offset);
}
static void fields(auto& archive, Wiring::StandIn& numbers) {
  archive(numbers.argument, numbers.constant, numbers.bytes);
}
static void fields(auto& archive, Wiring::Kernel& kernel) {
  archive(kernel.has_code, kernel.is_missing, kernel.arguments, kernel.stand_ins, kernel.extents);
}
static void fields(auto& archive, Wiring::Copy& copy) { archive(copy.output, copy.from); }
static void fields(auto& archive, Wiring::Input& input) { archive(input.name, input.type); }
static void fields(auto& archive, Wiring& wiring) {
  archive(wiring.inputs, wiring.outputs, wiring.kernels, wiring.copies, wiring.constants,
          wiring.arena_bytes, wiring.workspace_bytes);
}
static void fields(Writer& archive, codegen::ObjectCode& code) {
  std::string workspace = code.workspace.text();
  archive(code.bytes, workspace);
}
static void fields(Reader& archive, codegen::ObjectCode& code) {
  std::string workspace;
  archive(code.bytes, workspace);
  const auto size = codegen::WorkspaceSize::parse(workspace);
  if (!size) return archive.refuse();
  code.workspace = *size;
}
static void fields(auto& archive, NetworksRequest::Shared& tensor) {
  archive(tensor.type, tensor.offset);
}
static void fields(auto& archive, NetworksRequest::Network& network) {
  archive(network.wiring, network.code, network.constants, network.inputs);
}
static void fields(auto& archive, NetworksRequest& request) {
  archive(request.networks, request.tensors, request.memory, request.memory_bytes, request.enough,
          request.threads, request.warm_up, request.rounds, request.want_outputs);
}
static void fields(auto& archive, NetworksProgress& progress) {
  archive(progress.has_tensors, progress.round, progress.milliseconds);
}
static void fields(auto& archive, runtime::Statistics& time) {
  archive(time.median_ms, time.lower_quartile_ms, time.upper_quartile_ms, time.minimum_ms,
          time.rounds);
}
static void fields(auto& archive, MachineLoad& load) { archive(load.others, load.processors); }
static void fields(auto& archive, runtime::NetworkTimes& times) {
  archive(times.network, times.kernels, times.fresh_outputs, times.outputs);
}
static void fields(auto& archive, runtime::TurnTimes& times) {
  archive(times.threads, times.shortage, times.load, times.networks);
}
static void fields(auto& archive, Diagnostic& problem) {
  archive(problem.code, problem.what, problem.where, problem.hint);
}

namespace {

template <class... Values>
Frame frame_of(std::string_view job, Values&... values) {
  Writer writer;
  writer(values...);
  return {0, std::string(job), {}, std::move(writer).take()};
}

template <class... Values>
Result<void> read(const Frame& frame, Values&... values) {
  Reader reader(frame.bytes);
  reader(values...);
  if (reader.good()) return {};
  return fail(Code::UsageInvalid, "what came is not understood");
}

// Every place is there: a wiring that was damaged would write anywhere.
bool is_sound(const NetworksRequest& request) {
  const auto lies_within = [&](const NetworksRequest::Shared& tensor) {
    const auto count = checked_element_count(tensor.type.shape);
    return count && tensor.offset <= request.memory_bytes &&
           static_cast<std::uint64_t>(*count) <=
               (request.memory_bytes - tensor.offset) / byte_size(tensor.type.type);
  };
  const auto is_shared = [&](std::size_t i) { return i < request.tensors.size(); };
  const auto is_sound_network = [&](const NetworksRequest::Network& network) {
    const Wiring& wiring = network.wiring;
    const auto is_place = [&](const Wiring::Place& place) {
      switch (place.memory) {
        case Wiring::Memory::Constant: return place.index < wiring.constants;
        case Wiring::Memory::Arena: return place.offset >= 0 && place.offset <= wiring.arena_bytes;
        case Wiring::Memory::Input: return place.index < wiring.inputs.size();
        case Wiring::Memory::Output: return place.index < wiring.outputs.size();
      }
      return false;
    };
    const auto is_kernel = [&](const Wiring::Kernel& kernel) {
      return std::ranges::all_of(kernel.arguments, is_place) &&
             std::ranges::all_of(kernel.stand_ins, [&](const Wiring::StandIn& numbers) {
               return numbers.argument < kernel.arguments.size() &&
                      numbers.constant < wiring.constants;
             });
    };
    return network.constants.size() == wiring.constants &&
           network.inputs.size() == wiring.inputs.size() &&
           std::ranges::all_of(network.constants, is_shared) &&
           std::ranges::all_of(network.inputs, is_shared) &&
           static_cast<std::size_t>(std::ranges::count_if(
               wiring.kernels, &Wiring::Kernel::has_code)) == network.code.size() &&
           std::ranges::all_of(wiring.kernels, is_kernel) &&
           std::ranges::all_of(wiring.copies, [&](const Wiring::Copy& copy) {
             return copy.output < wiring.outputs.size() && is_place(copy.from);
           });
  };
  return request.threads >= 1 && request.warm_up >= 0 && request.rounds >= 0 &&
         std::ranges::all_of(request.tensors, lies_within) &&
         std::ranges::all_of(request.networks, is_sound_network);
}

}  // namespace

Frame to_frame(NetworksRequest request) { return frame_of(networks_job_name, request); }
Frame to_frame(NetworksProgress progress) { return frame_of(networks_job_name, progress); }
Frame to_frame(Result<runtime::TurnTimes> answer) {
  bool is_good = answer.has_value();
  return is_good ? frame_of(networks_job_name, is_good, *answer)
                 : frame_of(networks_job_name, is_good, answer.error());
}

Result<NetworksRequest> networks_request_from(const Frame& frame) {
  NetworksRequest request;
  TRY_VOID(read(frame, request));
  if (!is_sound(request)) return fail(Code::UsageInvalid, "what came is no network");
  return request;
}

Result<NetworksProgress> networks_progress_from(const Frame& frame) {
  NetworksProgress progress;
  TRY_VOID(read(frame, progress));
  return progress;
}

Result<runtime::TurnTimes> turn_times_from(const Frame& frame) {
  Reader reader(frame.bytes);
  bool is_good = false;
  runtime::TurnTimes times;
  Diagnostic problem{};
  reader(is_good);
  if (is_good) reader(times);
  else reader(problem);
  if (!reader.good()) return fail(Code::UsageInvalid, "what came is not understood");
  if (!is_good) return std::unexpected(std::move(problem));
  return times;
}

}  // namespace loopglass::measure
