// A machine is one value, each figure of which says where it comes from.
#include "core/machine/machine.h"

#include "core/machine/host.h"
#include "core/machine/machine_json.h"

#include <gtest/gtest.h>

#include <fstream>

namespace loopglass {
namespace {

TEST(HostMachine, KnowsItsVectorsAndCaches) {
  const Machine machine = host_machine();
  EXPECT_FALSE(machine.name.empty());
  EXPECT_FALSE(machine.processor.empty());
  EXPECT_GE(machine.vector_bytes, 16);
  EXPECT_GE(machine.vector_registers, 16);
  EXPECT_TRUE(machine.dot_terms.value == 2 || machine.dot_terms.value == 4);
  if (machine.dot_terms.value == 4) {
    EXPECT_TRUE(processor_multiplies_bytes());
  }
  EXPECT_GE(machine.l1.bytes, 8 << 10);
  EXPECT_GE(machine.l2.bytes, machine.l1.bytes.value);
  EXPECT_GE(machine.cores, 1);
  EXPECT_EQ(machine.lanes(4), machine.vector_bytes / 4);
}

// As Linux lists one cache of each level, whatever all of a socket's are together.
TEST(HostMachine, TakesEachCacheAsLinuxListsIt) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "cache_of_a_processor";
  const auto list = [&](const char* index, const char* level, const char* type, const char* size) {
    fs::create_directories(folder / index);
    std::ofstream(folder / index / "level") << level << "\n";
    std::ofstream(folder / index / "type") << type << "\n";
    std::ofstream(folder / index / "size") << size << "\n";
  };
  list("index0", "1", "Instruction", "64K");
  list("index1", "1", "Data", "48K");
  list("index2", "3", "Unified", "32M");
  EXPECT_EQ(cache_bytes(folder, 1), 48 << 10);
  EXPECT_EQ(cache_bytes(folder, 3), 32 << 20);
  EXPECT_EQ(cache_bytes(folder, 2), std::nullopt);
  EXPECT_EQ(cache_bytes(folder / "nowhere", 1), std::nullopt);
  fs::remove_all(folder);
  if (const auto third = cache_bytes("/sys/devices/system/cpu/cpu0/cache", 3)) {
    EXPECT_EQ(host_machine().l3.bytes.value, *third);
  }
}

TEST(HostMachine, SaysWhatItLookedUpAndWhatItOnlyTakesForTypical) {
  const Machine machine = host_machine();
  EXPECT_EQ(machine.vector_bytes.from, Provenance::Detected);
  EXPECT_EQ(machine.cores.from, Provenance::Detected);
  each_rate(machine, [](const char* name, const Figure<double>& rate) {
    EXPECT_EQ(rate.from, Provenance::Default) << name;
  });
  EXPECT_FALSE(machine.is_measured());
}

// A core that does two vector multiply-adds a cycle, whatever the width of its vectors.
TEST(TypicalMachine, HasRatesThatFollowFromItsVectors) {
  const Machine narrow = machine_with_vectors("narrow", 16, 16),
                wide = machine_with_vectors("wide", 64, 32);
  EXPECT_EQ(narrow.lanes(4), 4);
  EXPECT_EQ(wide.lanes(8), 8);
  EXPECT_DOUBLE_EQ(wide.peak_gflops, 4 * narrow.peak_gflops);
  EXPECT_DOUBLE_EQ(wide.l1.gigabytes_per_second, 4 * narrow.l1.gigabytes_per_second);
  EXPECT_DOUBLE_EQ(wide.cycles_per_nanosecond(), narrow.cycles_per_nanosecond());
  EXPECT_DOUBLE_EQ(narrow.l2_bytes_per_cycle(), 32);
  EXPECT_DOUBLE_EQ(wide.l2_bytes_per_cycle(), 32);
  // What stands in the struct is what follows from its vectors.
  const Machine written;
  std::vector<double> rates;
  each_rate(narrow, [&](const char*, const Figure<double>& rate) { rates.push_back(rate); });
  std::size_t next = 0;
  each_rate(written, [&](const char* name, const Figure<double>& rate) {
    EXPECT_DOUBLE_EQ(rate, rates[next++]) << name;
  });
}

// Twice the bytes a nanosecond are twice the bytes a cycle; at twice the arithmetic, half of them.
TEST(TypicalMachine, CountsBytesACycleFromItsRates) {
  Machine machine = reference_machine();
  machine.l2.gigabytes_per_second = 2 * machine.l2.gigabytes_per_second;
  EXPECT_DOUBLE_EQ(machine.l2_bytes_per_cycle(), 64);
  machine.peak_gflops = 2 * machine.peak_gflops;
  EXPECT_DOUBLE_EQ(machine.l2_bytes_per_cycle(), 32);
}

TEST(MeasuredMachine, TakesTheRatesThatWereMeasuredAndKeepsItsSizes) {
  Machine kept = machine_with_vectors("as it was", 16, 16);
  kept.peak_gflops = {100, Provenance::Measured};
  kept.estimate_error = {0.25, Provenance::Measured};
  kept.launch_microseconds = 7;  // by default, whatever stood there
  kept.l1.bytes = 1;
  const Machine host = host_machine();
  const Machine machine = with_measured(host, kept);
  EXPECT_TRUE(machine.is_measured());
  EXPECT_DOUBLE_EQ(machine.peak_gflops, 100);
  EXPECT_DOUBLE_EQ(machine.estimate_error, 0.25);
  EXPECT_DOUBLE_EQ(machine.launch_microseconds, host.launch_microseconds);
  EXPECT_TRUE(machine.l1 == host.l1);
  EXPECT_TRUE(machine.vector_bytes == host.vector_bytes);
}

TEST(MachineJson, KeepsEachFigureAndWhereItComesFrom) {
  Machine machine = host_machine();
  machine.processor = "a \"machine\"";
  machine.l2 = {{2 << 20, Provenance::Detected}, {33.25, Provenance::Measured}};
  machine.estimate_error = {0.125, Provenance::Measured};
  const auto again = machine_from_json(to_json(machine));
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_TRUE(*again == machine);
}

// Costs divide by these.
TEST(MachineJson, NumbersThatNoMachineHasAreRefused) {
  const auto refused = [](const auto& change) {
    Machine machine;
    change(machine);
    return !machine_from_json(to_json(machine));
  };
  EXPECT_FALSE(refused([](Machine&) {}));
  EXPECT_TRUE(refused([](Machine& machine) { machine.peak_gflops = 0; }));
  EXPECT_TRUE(refused([](Machine& machine) { machine.l3.gigabytes_per_second = -1; }));
  EXPECT_TRUE(refused([](Machine& machine) { machine.vector_bytes = 0; }));
  EXPECT_TRUE(refused([](Machine& machine) { machine.estimate_error = -0.5; }));
  EXPECT_FALSE(machine_from_json("{}"));
  EXPECT_FALSE(machine_from_json("nonsense"));
  std::string text = to_json(Machine());
  const auto from = text.find("\"default\"");
  ASSERT_NE(from, std::string::npos);
  EXPECT_FALSE(machine_from_json(text.replace(from, 9, "\"guessed\"")));
}

}  // namespace
}  // namespace loopglass
