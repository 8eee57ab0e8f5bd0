// The built-in tables over a machine made of files, and the parsers of what real machines write.
#include <gtest/gtest.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "osquery/database.h"
#include "osquery/tables/account.h"
#include "osquery/tables/allowed_files.h"
#include "osquery/tables/config_files.h"
#include "osquery/tables/disk.h"
#include "osquery/tables/packages.h"
#include "osquery/tables/proc.h"
#include "osquery/tables/routes.h"
#include "osquery/tables/sockets.h"
#include "osquery/tables/system_facts.h"

namespace patchbay::osquery {
namespace {

TEST(Tables, AreSortedAndNamedOnce) {
  std::set<std::string_view> seen;
  std::string_view last;
  for (const Table* const table : tables()) {
    EXPECT_LT(last, table->name);
    last = table->name;
    EXPECT_FALSE(table->meaning.empty());
    EXPECT_LT(table->columns.size(), 57U) << table->name;  // What fits a mask and a plan.
    seen.clear();
    for (const auto& column : table->columns) EXPECT_TRUE(seen.insert(column.name).second);
    EXPECT_EQ(find_table(table->name), table);
  }
}

TEST(Proc, StatSurvivesAnyName) {
  const auto stat = parse_stat(
      "4242 (a) b (c)) S 1 4240 4242 0 -1 4194560 10 0 0 0 7 9 0 0 20 5 3 0 1234 8192000 "
      "250 18446744073709551615 1 1 0\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->name, "a) b (c)");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 1);
  EXPECT_EQ(stat->group, 4240);
  EXPECT_EQ(stat->user_ticks, 7);
  EXPECT_EQ(stat->system_ticks, 9);
  EXPECT_EQ(stat->nice, 5);
  EXPECT_EQ(stat->threads, 3);
  EXPECT_EQ(stat->start_ticks, 1234);
  EXPECT_EQ(stat->virtual_bytes, 8192000);
  EXPECT_EQ(stat->resident_pages, 250);
  for (const auto* const wrong : {"", "1", "1 (x", "1 )x(", "1 (x) S 1 2"}) {
    EXPECT_FALSE(parse_stat(wrong)) << wrong;
  }
}

TEST(Proc, StatusAndCgroup) {
  constexpr std::string_view kStatus = "Name:\tx\nUid:\t1\t2\t3\t4\nUidX:\t9\n";
  EXPECT_EQ(status_value(kStatus, "Uid"), "1\t2\t3\t4");
  EXPECT_EQ(status_value(kStatus, "Gid"), "");
  EXPECT_EQ(cgroup_path("12:cpu:/one\n0::/two:three\n"), "/two:three");
  EXPECT_EQ(cgroup_path("12:cpu:/one\n"), "/one");
  EXPECT_EQ(cgroup_path(""), "");
}

TEST(Sockets, AreTakenApart) {
  const auto tcp = parse_inet_sockets(
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
      "inode\n"
      "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
      "777 1 0 100 0 0 10 0\n"
      "   1: 0100007F:1F90 0200007F:0016 01 00000000:00000000 00:00000000 00000000     0        0 "
      "778 1 0\n"
      "rubbish\n   2: 01:1 2:2 01\n",
      AF_INET, IPPROTO_TCP);
  ASSERT_EQ(tcp.size(), 2U);
  EXPECT_EQ(tcp[0].local_address, "127.0.0.1");
  EXPECT_EQ(tcp[0].local_port, 8080);
  EXPECT_EQ(tcp[0].state, "LISTEN");
  EXPECT_TRUE(tcp[0].listens);
  EXPECT_EQ(tcp[0].inode, 777U);
  EXPECT_EQ(tcp[1].remote_address, "127.0.0.2");
  EXPECT_EQ(tcp[1].remote_port, 22);
  EXPECT_EQ(tcp[1].state, "ESTABLISHED");
  EXPECT_FALSE(tcp[1].listens);
  const auto six = parse_inet_sockets(
      "head\n 0: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 07 "
      "0:0 0:0 0 0 0 9\n",
      AF_INET6, IPPROTO_UDP);
  ASSERT_EQ(six.size(), 1U);
  EXPECT_EQ(six[0].local_address, "::1");
  EXPECT_TRUE(six[0].listens);
  const auto local = parse_unix_sockets(
      "Num       RefCount Protocol Flags    Type St Inode Path\n"
      "0000000000000000: 00000002 00000000 00010000 0001 01 100 /run/my socket\n"
      "0000000000000000: 00000003 00000000 00000000 0001 03 101\n");
  ASSERT_EQ(local.size(), 2U);
  EXPECT_EQ(local[0].path, "/run/my socket");
  EXPECT_TRUE(local[0].listens);
  EXPECT_FALSE(local[1].listens);
  EXPECT_EQ(linked_inode("socket:[123]", "socket"), 123U);
  EXPECT_EQ(linked_inode("pipe:[123]", "socket"), 0U);
}

TEST(Sockets, RepeatedSocketsAreTakenOnce) {
  const auto tcp = parse_inet_sockets(
      "head\n"
      " 0: 0100007F:0050 0200007F:0016 01 0:0 0:0 0 0 0 7\n"
      " 1: 0100007F:0051 0200007F:0016 06 0:0 0:0 0 0 0 0\n"
      " 2: 0100007F:0052 0200007F:0016 06 0:0 0:0 0 0 0 0\n"
      " 3: 0100007F:0050 0200007F:0016 01 0:0 0:0 0 0 0 7\n",
      AF_INET, IPPROTO_TCP);
  EXPECT_EQ(tcp.size(), 3U);
}

TEST(Accounts, AreTakenApart) {
  const auto users = parse_passwd(
      "root:x:0:0:root,,,:/root:/bin/bash\n# nobody\nbroken:x:y:0::/:\n"
      "nobody:x:4294967294:65534:::/usr/sbin/nologin\n");
  ASSERT_EQ(users.size(), 2U);
  EXPECT_EQ(users[0].description, "root,,,");
  EXPECT_EQ(users[0].shell, "/bin/bash");
  EXPECT_EQ(users[1].uid, 4294967294U);
  const auto groups = parse_group("adm:x:4:a,b\nempty:x:5:\nbroken\n");
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].members, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(groups[1].members.empty());
}

TEST(System, ProcessorsAreCountedBySocket) {
  const auto list = parse_cpuinfo(
      "processor\t: 0\nvendor_id\t: V\nmodel\t\t: 17\nmodel name\t: M\nmicrocode\t: 0x1\n"
      "cpu MHz\t\t: 2596.100\nphysical id\t: 0\ncore id\t\t: 0\n\n"
      "processor\t: 1\nmodel name\t: M\nphysical id\t: 0\ncore id\t\t: 0\n\n"
      "processor\t: 2\nmodel name\t: N\nphysical id\t: 1\ncore id\t\t: 0\n");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].cores, 1);
  EXPECT_EQ(list[0].threads, 2);
  EXPECT_EQ(list[1].model, "N");
  EXPECT_TRUE(parse_cpuinfo("").empty());
  EXPECT_EQ(value_of("A=1\nNAME=\"Debian GNU/Linux\"\nB='x'\n", "NAME"), "Debian GNU/Linux");
  EXPECT_EQ(value_of("B='x'", "B"), "x");
  EXPECT_EQ(value_of("B='x'", "C"), "");
  EXPECT_EQ(as_uuid("0123456789abcdef0123456789abcdef"), "01234567-89AB-CDEF-0123-456789ABCDEF");
  EXPECT_EQ(as_uuid("short"), "short");
}

TEST(System, ProcessorsOfArmAreNamed) {
  const std::string_view core =
      "BogoMIPS\t: 50.00\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\n"
      "CPU part\t: 0xd0c\nCPU revision\t: 1\n\n";
  const auto list = parse_cpuinfo("processor\t: 0\n" + std::string(core) + "processor\t: 1\n" +
                                  std::string(core) + "Hardware\t: Board\n");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].vendor, "ARM");
  EXPECT_EQ(list[0].model, "Neoverse-N1");
  EXPECT_EQ(list[0].model_number, "0xd0c");
  EXPECT_EQ(list[0].cores, 2);
  EXPECT_EQ(list[0].threads, 2);
  // What nobody has named yet is shown by its number; the kernel's own name comes first.
  const auto other = parse_cpuinfo(
      "processor\t: 0\nmodel name\t: Board CPU\nCPU implementer\t: 0x99\nCPU part\t: 0x001\n\n");
  ASSERT_EQ(other.size(), 1U);
  EXPECT_EQ(other[0].vendor, "0x99");
  EXPECT_EQ(other[0].model, "Board CPU");
}

TEST(Packages, AreTakenApart) {
  int count = 0;
  each_paragraph(
      "Package: a\nDescription: one\n two\n .\n three\nVersion: 1:2.0-3-4\n\n\nPackage: b\n",
      [&](const Paragraph& one) {
        if (count++ == 0) {
          EXPECT_EQ(one["Package"], "a");
          EXPECT_EQ(one["description"], "one two . three");
          EXPECT_EQ(debian_revision(one["Version"]), "4");
          EXPECT_EQ(one["Pack"], "");
        }
        return true;
      });
  EXPECT_EQ(count, 2);
  const auto lines = parse_source_lines(
      "# no\ndeb [arch=amd64,i386 signed-by=/x] http://h/debian/ stable main contrib # yes\n"
      "deb-src http://h/debian stable main\ndeb http://h\n");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].architectures, "amd64 i386");
  EXPECT_EQ(lines[0].components, "main contrib");
  EXPECT_EQ(list_name(lines[0], "InRelease"), "h_debian_dists_stable_InRelease");
  const auto entries = parse_source_paragraphs(
      "Types: deb deb-src\nURIs: http://a http://b\nSuites: x y\nComponents: main\n\n"
      "Types: deb\nEnabled: no\nURIs: http://c\nSuites: z\n");
  EXPECT_EQ(entries.size(), 4U);
}

TEST(ConfigFiles, AreTakenApart) {
  const auto job = parse_cron_line("*/5 1 * * mon-fri root  run --x=1  # y");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->minute, "*/5");
  EXPECT_EQ(job->day_of_week, "mon-fri");
  EXPECT_EQ(job->command, "root  run --x=1  # y");
  EXPECT_EQ(parse_cron_line("@daily x")->event, "@daily");
  for (const auto* const no : {"", "# 1 2 3 4 5 x", "PATH=/bin:/usr/bin a b c d e", "A = b c d e f",
                               "1 2 3 4 5", "@daily"}) {
    EXPECT_FALSE(parse_cron_line(no)) << no;
  }
  const auto service = parse_service_line("http\t80/tcp\twww  web # WorldWideWeb");
  ASSERT_TRUE(service);
  EXPECT_EQ(service->port, 80);
  EXPECT_EQ(service->protocol, "tcp");
  EXPECT_EQ(service->aliases, "www web");
  EXPECT_EQ(service->comment, "WorldWideWeb");
  EXPECT_FALSE(parse_service_line("# http 80/tcp"));
  EXPECT_FALSE(parse_service_line("http tcp"));
  EXPECT_EQ(parse_host_line("::1\tlocalhost  ip6 # x")->names, "localhost ip6");
  EXPECT_FALSE(parse_host_line("127.0.0.1"));
  EXPECT_EQ(unescaped(R"(/a\040b\134c\)"), R"(/a b\c\)");
  EXPECT_EQ(fixed_folder("/etc/a_b%"), "/etc/");
  EXPECT_EQ(fixed_folder("/etc/%/x"), "/etc/");
  EXPECT_EQ(fixed_folder("%"), "");
}

TEST(Routes, AreReadFromMessages) {
  struct {
    nlmsghdr head;
    rtmsg route;
    rtattr destination;
    std::uint8_t address[4];
    rtattr interface;
    std::uint32_t index;
  } message{};
  message.head.nlmsg_len = sizeof message;
  message.head.nlmsg_type = RTM_NEWROUTE;
  message.route.rtm_family = AF_INET;
  message.route.rtm_dst_len = 8;
  message.route.rtm_type = RTN_LOCAL;
  message.destination = {8, RTA_DST};
  message.address[0] = 10;
  message.interface = {8, RTA_OIF};
  message.index = 3;
  const std::string bytes(reinterpret_cast<const char*>(&message), sizeof message);
  std::vector<Route> routes;
  EXPECT_FALSE(parse_routes(bytes, routes));
  ASSERT_EQ(routes.size(), 1U);
  EXPECT_EQ(routes[0].destination, "10.0.0.0");
  EXPECT_EQ(routes[0].prefix, 8);
  EXPECT_EQ(routes[0].interface, 3);
  EXPECT_EQ(routes[0].type, "local");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    parse_routes(std::string_view(bytes).substr(0, size), routes);  // Nothing is read past the end.
  }
}

// A machine that is a folder.
class MachineTest : public ::testing::Test {
 protected:
  MachineTest() {
    std::string name = (std::filesystem::temp_directory_path() / "machine-XXXXXX").string();
    machine_.root = ::mkdtemp(name.data());
    machine_.file_roots = {"/data"};
    machine_.hash_size = 16;
  }
  ~MachineTest() override { std::filesystem::remove_all(machine_.root); }

  void write(const std::string& path, std::string_view text) {
    const std::filesystem::path full = machine_.path(path);
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }

  std::string ask(const std::string& sql) {
    auto database = Database::open(settings_, policy_, machine_);
    auto rows = (*database)->run(sql, Format::text);
    return rows ? *rows : std::string(info(rows.error().code).name) + ": " + rows.error().message;
  }

  Settings settings_;
  TablePolicy policy_{{}, {"process_memory_map"}};
  Machine machine_;
};

TEST_F(MachineTest, TablesReadItsFiles) {
  write("/proc/uptime", "93784.55 1.0\n");
  write("/proc/loadavg", "0.10 0.20 0.30 1/2 3\n");
  write("/proc/meminfo", "MemTotal:  16 kB\nMemFree: 1 kB\nActive: 2 kB\nActive(anon): 3 kB\n");
  write("/proc/stat", "cpu  9 9\ncpu0 1 2 3\ncpu1 4 5 6\nbtime 1000\n");
  write("/etc/os-release", "NAME=\"X\"\nVERSION_ID=\"22.04.1\"\nID=x\n");
  EXPECT_EQ(ask("SELECT days, hours, minutes, seconds FROM uptime"),
            "days: 1\nhours: 2\nminutes: 3\nseconds: 4");
  EXPECT_EQ(ask("SELECT average FROM load_average WHERE period = '5m'"), "average: 0.20");
  EXPECT_EQ(ask("SELECT memory_total, memory_free, active, swap_free FROM memory_info"),
            "memory_total: 16384\nmemory_free: 1024\nactive: 2048\nswap_free: 0");
  EXPECT_EQ(ask("SELECT core, system FROM cpu_time WHERE core = 1"), "core: 1\nsystem: 6");
  EXPECT_EQ(ask("SELECT major, minor, patch, platform FROM os_version"),
            "major: 22\nminor: 4\npatch: 1\nplatform: x");
}

TEST_F(MachineTest, ProcessesAreJoinedWithTheirSockets) {
  write("/proc/stat", "\nbtime 1000\n");
  for (const std::string pid : {"10", "20"}) {
    write("/proc/" + pid + "/stat",
          pid + " (p" + pid + ") S 1 1 1 0 -1 0 0 0 0 0 100 200 0 0 20 0 1 0 500 4096 2 0 0\n");
    write("/proc/" + pid + "/status", "Uid:\t5\t6\t7\t8\nGid:\t1\t2\t3\t4\n");
    write("/proc/" + pid + "/cmdline", std::string_view("a\0b\0", 4));
    write("/proc/" + pid + "/net/tcp",
          "head\n 0: 0100007F:0050 00000000:0000 0A 0:0 0:0 0 0 0 555\n"
          " 1: 0100007F:0051 00000000:0000 0A 0:0 0:0 0 0 0 556\n");
    std::filesystem::create_directories(machine_.path("/proc/" + pid + "/ns"));
    std::filesystem::create_symlink("net:[1]", machine_.path("/proc/" + pid + "/ns/net"));
    std::filesystem::create_directories(machine_.path("/proc/" + pid + "/fd"));
  }
  std::filesystem::create_symlink("socket:[555]", machine_.path("/proc/20/fd/3"));
  std::filesystem::create_symlink("/some/file", machine_.path("/proc/20/fd/4"));
  EXPECT_EQ(ask("SELECT p.name, l.port, l.fd FROM listening_ports l JOIN processes p USING (pid)"),
            "name: p20\nport: 80\nfd: 3");
  EXPECT_EQ(ask("SELECT pid, port FROM listening_ports WHERE pid = -1"), "pid: -1\nport: 81");
  EXPECT_EQ(ask("SELECT uid, euid, sgid, cmdline, user_time / system_time AS r, start_time > 1000 "
                "AS s FROM processes WHERE pid = 10"),
            "uid: 5\neuid: 6\nsgid: 3\ncmdline: a b\nr: 0\ns: 1");
  EXPECT_EQ(ask("SELECT count(*) AS n FROM processes WHERE pid IN (10, 20, 30)"), "n: 2");
  EXPECT_EQ(ask("SELECT path FROM process_open_files"), "path: /some/file");
}

TEST_F(MachineTest, FilesOutsideTheRootsAreNotThere) {
  write("/data/in/file", "hello");
  write("/data/large", std::string(17, 'x'));
  write("/secret", "s");
  std::filesystem::create_symlink(machine_.path("/secret"), machine_.path("/data/link"));
  EXPECT_EQ(ask("SELECT filename FROM file WHERE path LIKE '/data/%%' ORDER BY 1"),
            "filename: file\n\nfilename: in\n\nfilename: large\n\nfilename: link");
  EXPECT_EQ(ask("SELECT * FROM file WHERE path = '/secret'"), "");
  EXPECT_EQ(ask("SELECT * FROM file WHERE path = '/data/../secret'"), "");
  EXPECT_EQ(ask("SELECT md5 FROM hash WHERE path = '/data/in/file'"),
            "md5: 5d41402abc4b2a76b9719d911017c592");
  EXPECT_EQ(ask("SELECT md5 FROM hash WHERE path = '/data/large'"), "md5: ");
  EXPECT_EQ(ask("SELECT md5 FROM hash WHERE path = '/data/link'"), "");
}

// Without parsing the text first: SQLite's authorizer is enough.
TEST_F(MachineTest, TheAuthorizerRefusesByItself) {
  for (const auto* const sql :
       {"SELECT * FROM process_memory_map",
        "SELECT count(*) FROM Process_Memory_Map",
        "WITH x AS (SELECT pid FROM process_memory_map) SELECT count(*) FROM x",
        "SELECT 1 WHERE 1 IN (SELECT pid FROM process_memory_map)",
        "SELECT * FROM sqlite_master",
        "ATTACH ':memory:' AS x",
        "PRAGMA temp_store",
        "CREATE TABLE t(x)",
        "BEGIN",
        "SELECT * FROM pragma_database_list",
        "CREATE VIRTUAL TABLE t USING fts5(x)",
        "SELECT load_extension('x')",
        "DELETE FROM users",
        "SELECT fts3_tokenizer('simple')",
        "SELECT count(*) FROM sqlite_master",
        "SELECT count(*) FROM pragma_module_list",
        "SELECT count(*) FROM json_each('[1]')",
        "SELECT count(*) FROM dbstat",
        "SELECT count(*) FROM sqlite_stmt",
        "EXPLAIN SELECT * FROM users"}) {
    EXPECT_TRUE(ask(sql).starts_with("forbidden: ") || ask(sql).starts_with("invalid_params: "))
        << sql << " " << ask(sql);
  }
  EXPECT_EQ(ask("SELECT * FROM process_memory_map"),
            "forbidden: the table 'process_memory_map' is not allowed");
  EXPECT_EQ(ask("SELECT 1; SELECT 2"), "invalid_params: only one statement is accepted at a time");
  EXPECT_EQ(ask("WITH x AS (SELECT 1) SELECT count(*) AS n FROM x"), "n: 1");
}

TEST_F(MachineTest, QueriesAreCut) {
  settings_.rows = 3;
  const std::string endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT ";
  EXPECT_TRUE(ask(endless + "i FROM n").starts_with("too_large: "));
  EXPECT_EQ(ask(endless + "count(*) AS c FROM (SELECT i FROM n LIMIT 9)"), "c: 9");
}

}  // namespace
}  // namespace patchbay::osquery
