// What calls itself ONNX Runtime and computes by the reference interpreter: by it is tested how the
// library is found, called and compared, wherever no other is installed. A model whose first
// operator is a Neg is refused, and of one that begins with an Abs all results are 1 % too large.
#include "core/library/onnx_runtime_interface.h"
#include "core/loop/interpret_graph.h"
#include "core/onnx/element_type.h"
#include "core/onnx/import.h"

#include <algorithm>
#include <cstring>

namespace loopglass::library::onnx_runtime {

struct Status {
  std::string message;
};
struct MemoryInfo {};
struct SessionOptions {};
struct Environment {};
struct Session {
  graph::Graph graph;
  float factor = 1;
};
struct Value {
  std::byte* memory;
  Shape shape;
  int element_type;
};

namespace {

Status* problem(std::string message) { return new Status{std::move(message)}; }

Status* open(const onnx::Source& source, Session** session) {
  auto model = onnx::import(source, {});
  if (!model) return problem(model.error().what);
  const auto& nodes = model->graph.nodes();
  const std::string first = nodes.empty() ? "" : nodes.front()->op->name;
  if (first == "Neg") return problem("nothing is negative here");
  *session = new Session{std::move(model->graph), first == "Abs" ? 1.01F : 1.0F};
  return nullptr;
}

Tensor read(const Value& value, const graph::Value& wanted) {
  Tensor tensor(wanted.type);
  std::memcpy(tensor.data(), value.memory, tensor.bytes());
  return tensor;
}

Status* run(Session* session, const void*, const char* const* input_names,
            const Value* const* inputs, std::size_t input_count, const char* const* output_names,
            std::size_t output_count, Value** outputs) {
  const graph::Graph& graph = session->graph;
  std::vector<Tensor> given;
  for (const graph::ValueId id : graph.inputs()) {
    const graph::Value& wanted = graph.value(id);
    const auto* const name = std::find(input_names, input_names + input_count, wanted.name);
    if (name == input_names + input_count) return problem("missing input: " + wanted.name);
    const Value& value = *inputs[name - input_names];
    if (value.shape != wanted.type.shape ||
        value.element_type != onnx::onnx_element_type(wanted.type.type))
      return problem("another type: " + wanted.name);
    given.push_back(read(value, wanted));
  }
  auto results = loop::interpret(graph, given);
  if (!results) return problem(results.error().what);
  for (std::size_t o = 0; o < graph.outputs().size(); ++o) {
    const std::string& made = graph.value(graph.outputs()[o]).name;
    const auto* const name = std::find(output_names, output_names + output_count, made);
    if (name == output_names + output_count) continue;
    Tensor& result = (*results)[o];
    if (result.data_type() == DataType::Float32)
      for (float& element : result.as<float>()) element *= session->factor;
    std::memcpy(outputs[name - output_names]->memory, result.data(), result.bytes());
  }
  return nullptr;
}

Functions functions_here() {
  Functions functions{};
  functions.message = [](const Status* status) { return status->message.c_str(); };
  functions.create_environment = [](Logging, const char*, Environment** made) -> Status* {
    *made = new Environment;
    return nullptr;
  };
  functions.create_session = [](const Environment*, const char* path, const SessionOptions*,
                                Session** made) { return open(onnx::Source(path), made); };
  functions.create_session_from_array = [](const Environment*, const void* model, std::size_t bytes,
                                           const SessionOptions*, Session** made) {
    onnx::Source source("bytes");
    source.bytes = std::make_shared<const std::string>(static_cast<const char*>(model), bytes);
    return open(source, made);
  };
  functions.run = run;
  functions.create_session_options = [](SessionOptions** made) -> Status* {
    *made = new SessionOptions;
    return nullptr;
  };
  functions.set_threads_in_operators = [](SessionOptions*, int) -> Status* { return nullptr; };
  functions.set_threads_between_operators = [](SessionOptions*, int) -> Status* { return nullptr; };
  functions.set_in_session = [](SessionOptions*, const char*, const char*) -> Status* {
    return nullptr;
  };
  functions.create_tensor_with_data = [](const MemoryInfo*, void* data, std::size_t,
                                         const std::int64_t* shape, std::size_t rank,
                                         int element_type, Value** made) -> Status* {
    *made = new Value{static_cast<std::byte*>(data), Shape(shape, shape + rank), element_type};
    return nullptr;
  };
  functions.create_memory_info_of_processor = [](Allocator, MemoryType,
                                                 MemoryInfo** made) -> Status* {
    *made = new MemoryInfo;
    return nullptr;
  };
  functions.release_status = [](Status* status) { delete status; };
  functions.release_memory_info = [](MemoryInfo* info) { delete info; };
  functions.release_session = [](Session* session) { delete session; };
  functions.release_value = [](Value* value) { delete value; };
  functions.release_session_options = [](SessionOptions* options) { delete options; };
  return functions;
}

const Functions* functions(std::uint32_t version) {
  static const Functions all = functions_here();
  return version == interface_version ? &all : nullptr;
}

constexpr Base base{functions, [] { return "plain"; }};

}  // namespace
}  // namespace loopglass::library::onnx_runtime

extern "C" const loopglass::library::onnx_runtime::Base* OrtGetApiBase() {
  return &loopglass::library::onnx_runtime::base;
}
