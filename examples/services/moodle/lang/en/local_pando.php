<?php
defined('MOODLE_INTERNAL') || die();

$string['pluginname'] = 'Pando';
$string['base'] = 'Base URL';
$string['base_help'] = 'Tell it to the operator of the federation: {$a}';
$string['catchup'] = 'Ask the federation for events that were missed';
$string['clientid'] = 'Client id';
$string['clientid_help'] = 'The operator of the federation gives it to you.';
$string['clientsecret'] = 'Client secret';
$string['clientsecret_help'] = 'It came with the client id.';
$string['enter'] = 'New people';
$string['enter_help'] = 'Who comes for the first time becomes a user. Otherwise only those come who are known.';
$string['issuer'] = 'Issuer';
$string['issuer_help'] = 'Of the federation, e.g. https://id.example.org.';
$string['privacy:metadata:family'] = 'Tokens that apps of a person hold';
$string['privacy:metadata:family:claims'] = 'What the federation releases of the person';
$string['privacy:metadata:family:person'] = 'The name of the person for this site';
$string['privacy:metadata:person'] = 'Which user a person of the federation is';
$string['privacy:metadata:person:userid'] = 'The user';
