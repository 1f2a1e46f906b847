<?php
/** Settings > Pando. What wp-config.php defines (PANDO_ISSUER and so on) goes before what is typed here. */
declare(strict_types=1);

namespace Pando;

final class Settings
{
    private const FIELDS = [
        'issuer' => ['Issuer', 'url', 'Of the federation, e.g. https://id.example.org'],
        'client_id' => ['Client id', 'text', 'The operator of the federation gives it to you'],
        'client_secret' => ['Client secret', 'password', 'Empty: as it is'],
        'role' => ['Role of new users', 'text', 'Empty: people whom nobody knows here are refused'],
    ];
    private const DEFAULTS = ['role' => 'subscriber', 'ask_after' => '90', 'fail_closed' => '300'];

    public static function get(string $name): string
    {
        $constant = 'PANDO_' . strtoupper($name);
        return (string) (defined($constant) ? constant($constant) : get_option("pando_$name", self::DEFAULTS[$name] ?? ''));
    }

    public static function register(): void
    {
        add_settings_section('pando', '', '__return_null', 'pando');
        foreach (self::FIELDS as $name => [$label]) {
            register_setting('pando', "pando_$name", ['sanitize_callback' => fn ($value) => self::checked($name, (string) $value), 'show_in_rest' => false]);
            add_settings_field("pando_$name", $label, fn () => self::field($name), 'pando', 'pando', ['label_for' => "pando_$name"]);
        }
    }

    private static function checked(string $name, string $value): string
    {
        $value = trim(sanitize_text_field($value));
        $known = get_option("pando_$name", self::DEFAULTS[$name] ?? '');
        $complaint = match (true) {
            $name === 'client_secret' && $value === '' => '',
            $name === 'issuer' && !preg_match('~^(https://[^/?#]+|http://(localhost|127\.0\.0\.1)(:\d+)?)(/[^?#]*)?$~D', $value) => 'The issuer is a URL of https, without query.',
            $name === 'role' && $value !== '' && !get_role($value) => 'There is no such role.',
            $name === 'role' && $value !== '' && (get_role($value)->has_cap('manage_options') || get_role($value)->has_cap('edit_users'))
                => 'Everybody in the federation would administer this site.',
            default => null,
        };
        if ($complaint) {
            add_settings_error("pando_$name", "pando_$name", $complaint);
        }
        return $complaint === null ? ($name === 'issuer' ? untrailingslashit($value) : $value) : $known;
    }

    private static function field(string $name): void
    {
        [, $type, $help] = self::FIELDS[$name];
        $value = $name === 'client_secret' ? '' : self::get($name);
        $fixed = defined('PANDO_' . strtoupper($name)) ? ' disabled' : '';
        printf('<input class="regular-text" id="pando_%1$s" name="pando_%1$s" type="%2$s" value="%3$s" autocomplete="off"%4$s><p class="description">%5$s</p>',
            esc_attr($name), esc_attr($type), esc_attr($value), $fixed, esc_html($help));
    }

    public static function page(): void
    {
        echo '<div class="wrap"><h1>Pando</h1><p>Tell the operator of the federation: <code>', esc_html(untrailingslashit(rest_url('pando/v1'))), '</code></p>';
        echo '<form method="post" action="options.php">';
        settings_fields('pando');
        do_settings_sections('pando');
        submit_button();
        echo '</form></div>';
    }
}
