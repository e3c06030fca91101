// Stands in for libFuzzer where there is none: runs a target over the files of the folders given,
// and for so many seconds over what comes of spoiling them. What breaks the target is left in a
// file.
#include "tests/fuzz/mutation.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::string tried;        // the input that is being looked at
std::string left_behind;  // the file for it, should it break the target

void keep_input(int signal) {
  const int file = ::open(left_behind.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && ::write(file, tried.data(), tried.size()) >= 0) {
    const std::string_view words = "the input that broke it is in ";
    for (const std::string_view text : {words, std::string_view(left_behind), {"\n"}})
      if (::write(STDERR_FILENO, text.data(), text.size()) < 0) break;
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void look_at(std::string input) {
  tried = std::move(input);
  ::alarm(20);  // seconds; it is given milliseconds' work
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(tried.data()), tried.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s SECONDS FOLDER...\n", argv[0]);
    return 2;
  }
  left_behind = fs::path(argv[0]).filename().string() + "-found";
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM})
    std::signal(signal, keep_input);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const rlimit memory{4ULL << 30, 4ULL << 30};  // bytes; a sanitizer reserves more
  ::setrlimit(RLIMIT_AS, &memory);
#endif
  std::vector<std::string> seeds;
  for (int i = 2; i < argc; ++i)
    for (const auto& entry : fs::directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      seeds.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
  if (seeds.empty()) return 1;
  for (const std::string& seed : seeds) look_at(seed);

  const std::uint64_t number = std::random_device()();
  loopglass::fuzz::Mutation mutation(seeds, number);
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(std::atoi(argv[1]));
  std::size_t count = 0;
  for (; Clock::now() < end; ++count) look_at(mutation.next());
  std::printf("%zu files, %zu spoiled (from %llu)\n", seeds.size(), count,
              static_cast<unsigned long long>(number));
}
