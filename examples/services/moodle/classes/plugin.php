<?php
namespace local_pando;

use Pando\Federation;
use Pando\Ledger;
use Pando\Refused;
use Pando\Service;

defined('MOODLE_INTERNAL') || die();

require_once(__DIR__ . '/../src/Service.php');

/** The service, as this site has set it up. */
final class plugin {
    public const SCOPE = 'org.moodle.courses';
    private static ?self $instance = null;
    public readonly Service $service;
    public readonly Federation $federation;
    private readonly database $database;

    private function __construct() {
        global $SITE;
        $this->database = new database();
        $setting = fn(string $name, string $default = '') => (string) (get_config('local_pando', $name) ?: $default);
        $ledger = new Ledger($this->database, $setting('issuer'));
        $this->federation = new Federation($setting('issuer'), self::base(), $setting('clientid'), $setting('clientsecret'), $ledger, self::get(...));
        // In config.php: $CFG->forced_plugin_settings = ['local_pando' => ['askafter' => '90', 'failclosed' => '300']];
        $seconds = fn(string $name, int $default) => get_config('local_pando', $name) === false ? $default : (int) get_config('local_pando', $name);
        $this->service = new Service((string) $SITE->fullname, [self::SCOPE => self::base() . '/courses'], $this->federation, $ledger,
            $seconds('askafter', 90), $seconds('failclosed', 300), $this->enter(...));
    }

    public static function it(): self {
        return self::$instance ??= new self();
    }

    public static function base(): string {
        global $CFG;
        return "$CFG->wwwroot/local/pando/index.php";
    }

    private static function get(string $url, array $headers): ?array {
        global $CFG;
        require_once($CFG->libdir . '/filelib.php');
        // The issuer is the administrator's word, whatever else the site may not ask.
        $curl = new \curl(['ignoresecurity' => true]);
        $curl->setHeader(array_map(fn($name, $value) => "$name: $value", array_keys($headers), $headers));
        $body = $curl->get($url, [], ['CURLOPT_FOLLOWLOCATION' => false, 'CURLOPT_TIMEOUT' => 5]);
        return $curl->get_errno() ? null : [(int) ($curl->get_info()['http_code'] ?? 0), (string) $body];
    }

    // People

    /** The user that a person of the federation is; `$person` is a name that only this site gets. */
    public function user(string $person): ?\stdClass {
        global $DB;
        $sql = "select u.* from {user} u join {local_pando_person} p on p.userid = u.id where p.mark = ? and u.deleted = 0 and u.suspended = 0";
        return $DB->get_record_sql($sql, [$this->mark($person)]) ?: null;
    }

    /** Makes a user of who comes for the first time. An account that is there already is never taken over for its address. */
    private function enter(array $claims): void {
        global $CFG, $DB;
        $mark = $this->mark($claims['sub']);
        if ($DB->record_exists('local_pando_person', ['mark' => $mark])) {
            return;
        }
        if (!get_config('local_pando', 'enter')) {
            throw new Refused(400, 'access_denied', 'nobody here knows this person');
        }
        // Two assertions at once make one user.
        $lock = \core\lock\lock_config::get_lock_factory('local_pando')->get_lock($mark, 10) ?: throw Refused::away('the person is being entered; try again');
        try {
            if ($DB->record_exists('local_pando_person', ['mark' => $mark])) {
                return;
            }
            require_once("$CFG->dirroot/user/lib.php");
            $name = is_string($claims['name'] ?? null) ? clean_param($claims['name'], PARAM_NOTAGS) : '';
            // One that nobody has verified may be somebody else's; and addresses are those of others in any case.
            $email = ($claims['email_verified'] ?? null) === true && is_string($claims['email'] ?? null) && validate_email($claims['email'])
                && !$DB->record_exists_select('user', 'lower(email) = lower(?)', [$claims['email']])
                ? $claims['email'] : "$mark@invalid.invalid";
            [$first, $last] = explode(' ', trim($name), 2) + [1 => '-'];
            $user = user_create_user((object) [
                'auth' => 'nologin', 'username' => 'pando-' . substr($mark, 0, 20), 'firstname' => $first ?: '-', 'lastname' => $last ?: '-', 'email' => $email,
                'confirmed' => 1, 'mnethostid' => $CFG->mnet_localhost_id], false);
            $this->database->insertNew('person', ['mark' => $mark, 'userid' => $user]);
        } finally {
            $lock->release();
        }
    }

    private function mark(string $person): string {
        return hash('sha256', get_config('local_pando', 'issuer') . " $person");
    }
}
