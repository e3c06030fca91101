#include "core/library/onnx_runtime.h"

#include "core/library/onnx_runtime_interface.h"
#include "core/library/shared_object.h"
#include "core/onnx/element_type.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace loopglass::library {

namespace {

namespace fs = std::filesystem;
using namespace onnx_runtime;

constexpr const char* usual_name = "libonnxruntime.so.1";
constexpr const char* how_to_have_it =
    "npm install --ignore-scripts onnxruntime-node here, or name a release's libonnxruntime.so in "
    "LOOPGLASS_ONNXRUNTIME";

Result<void> check(const Functions& functions, Status* status, const std::string& where) {
  if (status == nullptr) return {};
  const std::string words = functions.message(status);
  functions.release_status(status);
  return fail(Code::LibraryRefused, fmt::format("ONNX Runtime refuses it: {}", words), where);
}

// --- a model ------------------------------------------------------------------------------------

class LoadedModel : public OnnxRuntimeModel {
 public:
  LoadedModel(const Functions& functions, Session* session, std::string name)
      : functions_(functions), session_(session), name_(std::move(name)) {}
  ~LoadedModel() override {
    release(inputs_);
    release(outputs_);
    functions_.release_session(session_);
  }
  LoadedModel(const LoadedModel&) = delete;

  Result<void> bind(std::vector<onnx::NamedTensor> inputs,
                    std::vector<onnx::NamedTensor> outputs) override {
    TRY_VOID(bind(std::move(inputs), inputs_));
    return bind(std::move(outputs), outputs_);
  }

  Result<void> run() override {
    return check(functions_,
                 functions_.run(session_, nullptr, inputs_.names.data(), inputs_.values.data(),
                                inputs_.values.size(), outputs_.names.data(),
                                outputs_.values.size(), outputs_.values.data()),
                 name_);
  }

 private:
  struct Bound {
    std::vector<onnx::NamedTensor> tensors;
    std::vector<const char*> names;  // of those
    std::vector<Value*> values;      // over their memory
  };

  Result<void> bind(std::vector<onnx::NamedTensor> tensors, Bound& bound) {
    release(bound);
    bound.tensors = std::move(tensors);
    MemoryInfo* memory = nullptr;
    TRY_VOID(check(
        functions_,
        functions_.create_memory_info_of_processor(Allocator::Device, MemoryType::Default, &memory),
        name_));
    Result<void> done;
    for (onnx::NamedTensor& named : bound.tensors) {
      const Shape& shape = named.tensor.shape();
      Value* value = nullptr;
      done = check(functions_,
                   functions_.create_tensor_with_data(
                       memory, named.tensor.data(), named.tensor.bytes(), shape.data(),
                       shape.size(), onnx::onnx_element_type(named.tensor.data_type()), &value),
                   named.name);
      if (!done) break;
      bound.names.push_back(named.name.c_str());
      bound.values.push_back(value);
    }
    functions_.release_memory_info(memory);
    return done;
  }

  void release(Bound& bound) {
    for (Value* value : bound.values) functions_.release_value(value);
    bound = {};
  }

  const Functions& functions_;
  Session* session_;
  std::string name_;
  Bound inputs_, outputs_;
};

// --- the library --------------------------------------------------------------------------------

class LoadedRuntime : public OnnxRuntime {
 public:
  LoadedRuntime(const Functions& functions, Environment* environment, std::string version,
                fs::path file)
      : functions_(functions),
        environment_(environment),
        version_(std::move(version)),
        file_(std::move(file)) {}

  std::string version() const override { return version_; }
  const fs::path& file() const override { return file_; }

  Result<std::unique_ptr<OnnxRuntimeModel>> open(const onnx::Source& model, int threads,
                                                 ByteProducts products) override {
    SessionOptions* options = nullptr;
    TRY_VOID(check(functions_, functions_.create_session_options(&options), model.path.string()));
    Session* session = nullptr;
    const auto opened = [&]() -> Result<void> {
      const std::string name = model.path.string();
      TRY_VOID(check(functions_, functions_.set_threads_in_operators(options, threads), name));
      TRY_VOID(check(functions_, functions_.set_threads_between_operators(options, 1), name));
      // Of DequantizeLinear in front of a product it makes MatMulNBits, by itself with operands
      // rounded to bytes, which no model has asked for.
      TRY_VOID(check(
          functions_,
          functions_.set_in_session(options, "session.qdq_matmulnbits_accuracy_level", "1"), name));
      if (products == ByteProducts::Exact)
        TRY_VOID(check(functions_,
                       functions_.set_in_session(options, "session.x64quantprecision", "1"), name));
      return check(
          functions_,
          model.bytes ? functions_.create_session_from_array(environment_, model.bytes->data(),
                                                             model.bytes->size(), options, &session)
                      : functions_.create_session(environment_, name.c_str(), options, &session),
          name);
    }();
    functions_.release_session_options(options);
    if (!opened) return std::unexpected(opened.error());
    return std::make_unique<LoadedModel>(functions_, session, model.path.string());
  }

 private:
  const Functions& functions_;
  Environment* environment_;
  std::string version_;
  fs::path file_;
};

// --- where it lies ------------------------------------------------------------------------------

bool is_called_like_it(const fs::path& file) {
  return file.filename().string().starts_with("libonnxruntime.so");
}

// The first that can be loaded here, by name: packages hold it for several kinds of processors.
fs::path found_below(const fs::path& folder) {
  // A whole disk is not gone through.
  constexpr int deepest = 12;
  constexpr int most_entries = 100'000;
  std::vector<fs::path> found;
  std::error_code error;
  int entries = 0;
  for (auto entry = fs::recursive_directory_iterator(
           folder, fs::directory_options::skip_permission_denied, error);
       !error && entry != fs::recursive_directory_iterator() && ++entries < most_entries;
       entry.increment(error)) {
    if (entry.depth() >= deepest) entry.disable_recursion_pending();
    if (is_called_like_it(entry->path()) && is_whole_shared_object(entry->path()))
      found.push_back(entry->path());
  }
  std::ranges::sort(found);
  return found.empty() ? fs::path() : found.front();
}

// What to give the loader.
Result<fs::path> library_file() {
  std::error_code error;
  if (const char* said = std::getenv(onnx_runtime_variable); said != nullptr && *said != '\0') {
    // The loader would look for a name without a folder elsewhere.
    const fs::path named = fs::absolute(said, error);
    const bool is_folder = fs::is_directory(named, error);
    const fs::path file = is_folder ? found_below(named) : named;
    if (file.empty() || !is_whole_shared_object(file))
      return fail(Code::LibraryMissing,
                  fmt::format("{} names {}", onnx_runtime_variable,
                              is_folder ? "a folder with no libonnxruntime.so for this processor"
                                        : "no shared object for this processor"),
                  named.string(), how_to_have_it);
    return file;
  }
  if (void* const by_system = dlopen(usual_name, RTLD_NOW | RTLD_LOCAL)) {
    dlclose(by_system);
    return fs::path(usual_name);
  }
  const fs::path package = fs::path("node_modules") / "onnxruntime-node";
  if (fs::is_directory(package, error))
    if (fs::path file = found_below(package); !file.empty()) return file;
  return fail(Code::LibraryMissing, "ONNX Runtime is not there", {}, how_to_have_it);
}

Result<std::unique_ptr<OnnxRuntime>> load() {
  const fs::path file = TRY(library_file());
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return fail(Code::LibraryMissing, fmt::format("ONNX Runtime cannot be loaded: {}", dlerror()),
                file.string(), how_to_have_it);
  const auto entry = reinterpret_cast<onnx_runtime::Entry>(dlsym(handle, onnx_runtime::entry_name));
  const Base* const base = entry == nullptr ? nullptr : entry();
  const Functions* const functions = base == nullptr ? nullptr : base->functions(interface_version);
  if (functions == nullptr)
    return fail(Code::LibraryMissing, "it is no ONNX Runtime", file.string(), how_to_have_it);
  Environment* environment = nullptr;
  TRY_VOID(check(*functions,
                 functions->create_environment(Logging::Fatal, "loopglass", &environment),
                 file.string()));
  return std::make_unique<LoadedRuntime>(*functions, environment, base->version(), file);
}

}  // namespace

Result<OnnxRuntime*> load_onnx_runtime() {
  // Never given back: its threads outlive whoever was first to ask.
  static const auto* const loaded = new Result<std::unique_ptr<OnnxRuntime>>(load());
  if (!*loaded) return std::unexpected(loaded->error());
  return loaded->value().get();
}

}  // namespace loopglass::library
