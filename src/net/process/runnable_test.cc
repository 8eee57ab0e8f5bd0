#include "net/process/runnable.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace patchbay::net {
namespace {

// Why a script with this first line could not be run; empty: it could.
std::string trouble(const std::string& line) {
  char folder[] = "/tmp/patchbay-script-XXXXXX";
  EXPECT_NE(::mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/script";
  std::ofstream(path) << line << "\n";
  ::chmod(path.c_str(), 0700);
  const auto good = check_runnable({path, {}, {"PATH=/usr/bin:/bin"}, ""});
  ::unlink(path.c_str());
  ::rmdir(folder);
  return good ? "" : good.error().message;
}

TEST(Runnable, NamesAMissingInterpreter) {
  EXPECT_EQ(trouble("#!/bin/sh"), "");
  EXPECT_EQ(trouble("#! /usr/bin/env -S sh -e"), "");
  EXPECT_EQ(trouble("#!/usr/bin/env X=1 sh"), "");
  EXPECT_EQ(trouble("no script"), "");
  EXPECT_NE(trouble("#!/no/such/one").find("its interpreter /no/such/one"), std::string::npos);
  EXPECT_NE(trouble("#!/usr/bin/env no-such-one").find("'no-such-one'"), std::string::npos);
}

TEST(Runnable, NamesAMissingProgram) {
  const auto good = check_runnable({"no-such-program", {}, {"PATH=/usr/bin"}, ""});
  ASSERT_FALSE(good);
  EXPECT_NE(good.error().message.find("'no-such-program' in PATH"), std::string::npos);
}

}  // namespace
}  // namespace patchbay::net
