// Object code on disk: what is found is what was kept, whatever happened to the folder meanwhile.
#include "core/codegen/object_cache.h"

#include "tests/codegen/run_both.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fstream>
#include <random>
#include <set>
#include <thread>

namespace loopglass::codegen {
namespace {

namespace fs = std::filesystem;

class ObjectCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "object_cache.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (entry.path().extension() == ".o") found.push_back(entry.path());
    return found;
  }
  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (const fs::path& file : files()) sum += static_cast<std::int64_t>(fs::file_size(file));
    return sum;
  }

  fs::path folder_;
};

CodeKey key_of(std::uint32_t number) {
  CodeKey key;
  std::mt19937 random(number);
  for (std::uint8_t& byte : key.digest) byte = static_cast<std::uint8_t>(random());
  return key;
}

// Which number a code is of shows in every byte.
ObjectCode code_of(std::uint32_t number, std::size_t size) {
  ObjectCode code{std::string(size, '\0'), number};
  std::mt19937 random(number);
  for (char& byte : code.bytes) byte = static_cast<char>(random());
  return code;
}

bool same(const ObjectCode& a, const ObjectCode& b) {
  return a.bytes == b.bytes && a.workspace == b.workspace;
}

TEST_F(ObjectCacheTest, GivesWhatItWasGiven) {
  ObjectCache cache(folder_ / "not" / "there");
  EXPECT_FALSE(cache.find(key_of(1)));
  for (const std::uint32_t number : {1u, 2u, 3u}) {
    ASSERT_TRUE(cache.keep(key_of(number), code_of(number, 1000 * number)));
    const auto found = cache.find(key_of(number));
    ASSERT_TRUE(found);
    EXPECT_TRUE(same(*found, code_of(number, 1000 * number)));
  }
  EXPECT_FALSE(cache.find(key_of(4)));
  EXPECT_TRUE(ObjectCache(folder_ / "not" / "there").find(key_of(2)));
}

TEST_F(ObjectCacheTest, WhatWasChangedIsMissing) {
  const ObjectCode code = code_of(1, 100);
  const auto damaged = [&](const std::function<void(std::string&)>& damage) {
    ObjectCache cache(folder_);
    EXPECT_TRUE(cache.keep(key_of(1), code));
    std::ifstream in(files().front(), std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(in), {});
    damage(text);
    std::ofstream(files().front(), std::ios::binary) << text;
    return !cache.find(key_of(1));
  };
  EXPECT_FALSE(damaged([](std::string&) {}));
  const std::size_t size = fs::file_size(files().front());
  for (std::size_t at = 0; at < size; ++at)
    EXPECT_TRUE(damaged([&](std::string& text) { text[at] = static_cast<char>(text[at] ^ 4); }))
        << "byte " << at;
  for (std::size_t kept = 0; kept < size; ++kept)
    EXPECT_TRUE(damaged([&](std::string& text) { text.resize(kept); })) << kept << " bytes";
  EXPECT_TRUE(damaged([](std::string& text) { text += 'x'; }));
  // Another key's file, whole.
  ObjectCache cache(folder_);
  ASSERT_TRUE(cache.keep(key_of(1), code));
  const fs::path first = files().front();
  ASSERT_TRUE(cache.keep(key_of(2), code_of(2, 100)));
  for (const fs::path& file : files())
    if (file != first) fs::copy_file(file, first, fs::copy_options::overwrite_existing);
  EXPECT_FALSE(cache.find(key_of(1)));
}

TEST_F(ObjectCacheTest, StaysWithinItsLimitAndKeepsWhatWasUsedLast) {
  constexpr std::int64_t limit = 100'000;
  ObjectCache cache(folder_, limit);
  for (std::uint32_t number = 0; number < 100; ++number) {
    ASSERT_TRUE(cache.keep(key_of(number), code_of(number, 5000)));
    EXPECT_LE(bytes(), limit + 6000);
    EXPECT_TRUE(cache.find(key_of(0))) << "used again and again, after " << number;
  }
  EXPECT_GE(bytes(), limit / 2);
  EXPECT_TRUE(cache.find(key_of(99)));
  EXPECT_FALSE(cache.find(key_of(1)));
}

TEST_F(ObjectCacheTest, WhereNothingCanBeKeptThereIsNothing) {
  std::ofstream(folder_ / "file") << "in the way";
  ObjectCache cache(folder_ / "file");
  EXPECT_EQ(cache.keep(key_of(1), code_of(1, 10)).error().code, Code::FileUnwritable);
  EXPECT_FALSE(cache.find(key_of(1)));
}

// Whatever lies where a file of the cache would: it is missing, and nobody waits or reads for ever.
TEST_F(ObjectCacheTest, WhatIsNoFileIsMissing) {
  ObjectCache cache(folder_);
  ASSERT_TRUE(cache.keep(key_of(1), code_of(1, 100)));
  const fs::path file = files().front();
  const auto found_with = [&](const std::function<void()>& put) {
    fs::remove_all(file);
    put();
    return cache.find(key_of(1)).has_value();
  };
  EXPECT_FALSE(found_with([&] { ASSERT_EQ(mkfifo(file.c_str(), 0600), 0); }));
  EXPECT_FALSE(found_with([&] { fs::create_symlink("/dev/zero", file); }));
  EXPECT_FALSE(found_with([&] {
    std::ofstream(file) << "x";
    fs::resize_file(file, std::uintmax_t{60} << 30);  // takes no space
  }));
  ASSERT_TRUE(cache.keep(key_of(1), code_of(1, 100))) << "each of these is replaced";
  EXPECT_TRUE(cache.find(key_of(1)));
  EXPECT_FALSE(found_with([&] { fs::create_directory(file); }));
}

// With the folder of somebody's own work for a cache, say.
TEST_F(ObjectCacheTest, WhatItHasNotMadeIsNotItsToRemove) {
  const std::string word = key_of(3).text();
  const std::vector<fs::path> foreign{folder_ / "main.o", folder_ / "ab" / "main.o",
                                      folder_ / "build" / (word.substr(2) + ".o"),
                                      folder_ / "ab" / "cd" / (word.substr(2) + ".o")};
  for (const fs::path& path : foreign) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << std::string(50'000, 'x');
  }
  ObjectCache cache(folder_, 20'000);
  for (std::uint32_t number = 0; number < 20; ++number)
    ASSERT_TRUE(cache.keep(key_of(number), code_of(number, 5000)));
  for (const fs::path& path : foreign) EXPECT_TRUE(fs::exists(path)) << path;
  EXPECT_LE(bytes(), 200'000 + 26'000);
}

// Processes that write, read and make room at once, and are killed at any moment: who asks gets
// what was kept under that key, or nothing.
TEST_F(ObjectCacheTest, SurvivesCompanyAndKills) {
  constexpr std::uint32_t keys = 40;
  const auto size_of = [](std::uint32_t number) { return std::size_t{2000} + 371 * number; };
  const auto work = [&](unsigned seed) {
    ObjectCache cache(folder_, 300'000);
    for (std::mt19937 random(seed); true;) {
      const std::uint32_t number = random() % keys;
      if (const auto found = cache.find(key_of(number));
          found && !same(*found, code_of(number, size_of(number))))
        _exit(1);
      static_cast<void>(cache.keep(key_of(number), code_of(number, size_of(number))));
    }
  };
  std::mt19937 random(7);
  for (unsigned round = 0; round < 12; ++round) {
    std::vector<pid_t> children;
    for (unsigned child = 0; child < 3; ++child) {
      const pid_t started = fork();
      ASSERT_GE(started, 0);
      if (started == 0) work(round * 3 + child);
      children.push_back(started);
    }
    for (const pid_t child : children) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5 + random() % 40));
      kill(child, SIGKILL);
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFSIGNALED(status)) << "found what was never kept";
    }
    ObjectCache cache(folder_, 300'000);
    for (std::uint32_t number = 0; number < keys; ++number) {
      const auto found = cache.find(key_of(number));
      EXPECT_TRUE(!found || same(*found, code_of(number, size_of(number))));
    }
    ASSERT_TRUE(cache.keep(key_of(0), code_of(0, size_of(0)))) << "nobody holds it for ever";
    EXPECT_TRUE(cache.find(key_of(0)));
  }
}

constexpr std::string_view negate =
    "func f(A: float32[8] input, Y: float32[8] output) { for i in 8 { Y[i] = -A[i] } }";

TEST(ObjectCode, IsKnownByWhatItComputes) {
  const auto key = [](std::string_view text) { return code_key(parse_func(text)).text(); };
  EXPECT_EQ(key(negate),
            key("func g(B: float32[8] input, Z: float32[8] output) { for j in 8 { Z[j] = -B[j] } "
                "}"));
  const std::set<std::string> different{
      key(negate),
      key("func f(A: float32[9] input, Y: float32[9] output) { for i in 9 { Y[i] = -A[i] } }"),
      key("func f(A: float64[8] input, Y: float64[8] output) { for i in 8 { Y[i] = -A[i] } }"),
      key("func f(A: float32[8] input, Y: float32[8] output) { for i in 8 { Y[i] = A[i] } }"),
      key("func f(A: float32[8] input, Y: float32[8] output) { for i in 8 parallel { Y[i] = -A[i] "
          "} }"),
      key("func f(A: float32[8] input, Y: float32[8] output) { for i in 8 { Y[i] = -A[7 - i] } }"),
      key("func f(A: float32[8] input, Y: float32[8] output) { for i in 8 { Y[i] = A[i] + 1.0f } "
          "}"),
      key("func f(A: float32[8] input, Y: float32[8] output) { for i in 8 { Y[i] = A[i] + 2.0f } "
          "}")};
  EXPECT_EQ(different.size(), 8u);
  EXPECT_EQ(key(negate).size(), 64u);
}

TEST(ObjectCode, LoadedTwiceComputesTwice) {
  const loop::Func func = parse_func(negate);
  const auto code = generate(func);
  ASSERT_TRUE(code) << to_string(code.error());
  const Arguments arguments = random_arguments(func);
  const std::vector<Tensor> expected = run_interpreter(func, arguments);
  for (int time = 0; time < 2; ++time) {
    const auto kernel = load(*code);
    ASSERT_TRUE(kernel) << to_string(kernel.error());
    EXPECT_TRUE(run_kernel(**kernel, func, arguments)[1].same_content(expected[1]));
  }
}

TEST(ObjectCode, BytesOfSomethingElseAreADiagnostic) {
  EXPECT_EQ(load({"not an object file", 0}).error().code, Code::CodegenFailed);
  EXPECT_EQ(load({"", 0}).error().code, Code::CodegenFailed);
}

}  // namespace
}  // namespace loopglass::codegen
