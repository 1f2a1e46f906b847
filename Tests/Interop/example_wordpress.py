"""WordPress of Debian's package with the plugin of `examples/services/wordpress`, on a MariaDB of its own: a socket in a folder, no network, any user."""
from __future__ import annotations

import getpass
import json
import shutil
import subprocess
from pathlib import Path

from example_services import Plugin
from server import CHECKOUT, plain_environment
from waiting import eventually

PLACES = (Path("/usr/share/wordpress"), CHECKOUT / ".pando/wordpress/usr/share/wordpress")
ADMIN, ADMIN_PASSWORD = "admin", "a long enough password"
# Half of its files, which are for browsers alone.
UNUSED = ("*.js", "*.map", "*.png", "*.gif", "*.svg", "*.woff", "*.eot", "*.ttf")
CONFIG = """<?php
define('DB_NAME', '%(database)s'); define('DB_USER', 'root'); define('DB_PASSWORD', ''); define('DB_HOST', 'localhost:%(socket)s');
define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
define('WP_HOME', '%(home)s'); define('WP_SITEURL', '%(home)s');
define('DISABLE_WP_CRON', true); define('AUTOMATIC_UPDATER_DISABLED', true); define('WP_ENVIRONMENT_TYPE', 'local'); define('WP_DEBUG', true); define('WP_DEBUG_DISPLAY', false);
foreach (['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'AUTH_SALT', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT'] as $name) define($name, '%(mark)s');
foreach (['ASK_AFTER', 'FAIL_CLOSED'] as $name) if (getenv($name) !== false) define("PANDO_$name", getenv($name));
$table_prefix = 'wp_';
defined('ABSPATH') || define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
"""
# What an administrator does in the browser.
INSTALL = """<?php
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = '127.0.0.1';
function wp_new_blog_notification() {}
require __DIR__ . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';
$given = json_decode(getenv('GIVEN'), true);
wp_install('Example', $given['admin'], 'admin@example.org', true, '', $given['password']);
update_option('permalink_structure', '/%postname%/');
foreach ($given['options'] as $name => $value) update_option($name, $value);
switch_theme('bare');
$failed = activate_plugin('pando/pando.php');
if (is_wp_error($failed)) { fwrite(STDERR, $failed->get_error_message()); exit(1); }
"""


class MariaDB:
    """One for all sites of a run, with a database for each: to make one takes seconds. It keeps nothing that a power cut would ask for."""

    running: "MariaDB | None" = None

    def __init__(self, folder: Path):
        self.data, self.socket, self.log, self.process = folder / "data", folder / "socket", folder / "mariadb.log", None
        self.sites = 0

    @classmethod
    def taken(cls, folder: Path) -> "MariaDB":
        """That of the run, or a new one in `folder`; who takes it gives it back."""
        if cls.running is None:
            made = cls(folder)
            try:
                cls.running = made.start()
            except BaseException:
                made.stop()
                raise
        cls.running.sites += 1
        return cls.running

    def give_back(self) -> None:
        self.sites -= 1
        if self.sites == 0:
            MariaDB.running = None
            self.stop()

    def start(self) -> "MariaDB":
        user = ["--no-defaults", f"--datadir={self.data}", f"--user={getpass.getuser()}", "--innodb-log-file-size=4M", "--innodb-flush-log-at-trx-commit=0"]
        made = subprocess.run(["mariadb-install-db", *user, "--auth-root-authentication-method=normal", "--skip-test-db"], capture_output=True, text=True,
                              timeout=120)
        assert made.returncode == 0, made.stdout[-500:] + made.stderr[-500:]
        with self.log.open("ab") as log:
            program = shutil.which("mariadbd", path="/usr/sbin:/usr/bin")
            self.process = subprocess.Popen([program, *user, f"--socket={self.socket}", "--skip-networking", "--innodb-buffer-pool-size=32M"],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        assert eventually(lambda: self.run("select 1").returncode == 0, within_s=60), self.log.read_text()[-2_000:]
        return self

    def run(self, statement: str) -> subprocess.CompletedProcess:
        return subprocess.run(["php", "-r", "exit((new mysqli('localhost', 'root', '', '', 0, $argv[1]))->query($argv[2]) ? 0 : 1);", str(self.socket), statement],
                              capture_output=True, text=True, timeout=30)

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(timeout=10)


class WordPressService(Plugin):
    kind, scope, path, example_of = "wordpress", "org.wordpress.rest", "/wp-json/pando/v1", "services/wordpress"

    @classmethod
    def missing(cls) -> str | None:
        """Why it cannot be started here."""
        if not any((place / "wp-load.php").exists() for place in PLACES):
            return "there is no WordPress: deploy/packages.sh test"
        return None if shutil.which("mariadb-install-db") else "there is no MariaDB: deploy/packages.sh test"

    @property
    def root(self) -> Path:
        return self.folder / "wordpress"

    @property
    def home(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def api(self) -> str:
        return f"{self.home}wp-json/wp/v2/users/me"

    def who(self, answer: dict):
        return answer["id"]

    @property
    def command(self) -> list:
        return ["php", "-d", "opcache.enable_cli=1", "-S", f"127.0.0.1:{self.port}", "-t", self.root]

    def environment(self) -> dict[str, str]:
        """All else is typed into the settings, here by `prepare`."""
        return {"PHP_CLI_SERVER_WORKERS": "4"}

    def prepare(self) -> None:
        self.database = MariaDB.taken(self.folder)
        name = f"site{self.port}"
        assert self.database.run(f"create database {name} character set utf8mb4").returncode == 0
        place = next(place for place in PLACES if (place / "wp-load.php").exists())
        shutil.copytree(place, self.root, symlinks=True, ignore=shutil.ignore_patterns("wp-content", "wp-config.php", *UNUSED))
        (self.root / "wp-content/plugins").mkdir(parents=True)
        super().prepare()
        theme = self.root / "wp-content/themes/bare"
        theme.mkdir(parents=True)
        (theme / "style.css").write_text("/* Theme Name: Bare */")
        (theme / "index.php").write_text("<!doctype html><head><?php wp_head(); ?></head><body>Example</body>")
        (self.root / "wp-config.php").write_text(CONFIG % {"database": name, "socket": self.database.socket, "home": self.home.rstrip("/"), "mark": self.folder.name})
        (self.root / "install.php").write_text(INSTALL)
        options = {"pando_issuer": self.issuer, "pando_client_id": self.client[0], "pando_client_secret": self.client[1]}
        given = {"admin": ADMIN, "password": ADMIN_PASSWORD, "options": options}
        done = subprocess.run(["php", "install.php"], cwd=self.root, env=plain_environment() | {"GIVEN": json.dumps(given)}, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout[-1_000:] + done.stderr[-1_000:]
        (self.root / "install.php").unlink()

    def clear(self) -> None:
        super().clear()
        if hasattr(self, "database"):
            self.database.give_back()
            del self.database
