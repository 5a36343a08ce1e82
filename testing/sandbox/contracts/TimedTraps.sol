// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ArmedToken} from "./TrapTokens.sol";

/// Takes nearly all of a sale that comes more than five hundred blocks after the seller bought.
contract BlockAgeTaxToken is ArmedToken {
    mapping(address account => uint256) private _boughtIn;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        if (from == pair && pair != address(0)) _boughtIn[to] = block.number;
        uint256 tax;
        if (_isSale(from, to) && _boughtIn[from] != 0 && block.number - _boughtIn[from] > 500) tax = (value * 99) / 100;
        if (tax > 0) super._update(from, owner(), tax);
        super._update(from, to, value - tax);
    }
}

/// Takes nearly all of a sale that comes more than sixty days after the seller bought.
contract AgeTaxToken is ArmedToken {
    mapping(address account => uint256) private _boughtAt;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        if (from == pair && pair != address(0)) _boughtAt[to] = block.timestamp;
        uint256 tax;
        if (_isSale(from, to) && _boughtAt[from] != 0 && block.timestamp > _boughtAt[from] + 60 days) {
            tax = (value * 99) / 100;
        }
        if (tax > 0) super._update(from, owner(), tax);
        super._update(from, to, value - tax);
    }
}

/// Lets through a sale only where time went by much faster than blocks since somebody bought, as in simulations.
contract ClockToken is ArmedToken {
    uint256 private _number;
    uint256 private _time;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {}

    function _update(address from, address to, uint256 value) internal override {
        if (_isSale(from, to)) {
            require(block.timestamp - _time > 60 * (block.number - _number) + 60, "TRANSFER_FAILED");
        }
        if (from == pair && pair != address(0)) {
            _number = block.number;
            _time = block.timestamp;
        }
        super._update(from, to, value);
    }
}

/// Whoever held it before its pool was named cannot sell from the three hundredth day on; who buys later can.
contract GrudgeToken is ArmedToken {
    mapping(address account => bool) private _early;
    uint256 private immutable _launched;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ArmedToken(name_, symbol_, supply, owner_)
    {
        _launched = block.timestamp;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (pair == address(0)) _early[to] = true;
        if (_isSale(from, to)) require(!_early[from] || block.timestamp < _launched + 300 days, "TRANSFER_FAILED");
        super._update(from, to, value);
    }
}

/// Writes down since when everybody holds it and tells for how long he did, and lets its maker's share go within a year.
contract TenureToken is ERC20 {
    struct Since {
        uint64 number;
        uint64 time;
    }

    event Held(address indexed account, uint256 blocks, uint256 time);

    mapping(address account => Since) public heldSince;

    address private immutable _maker;
    uint256 private immutable _share;
    uint256 private immutable _begins;

    constructor(string memory name_, string memory symbol_, uint256 supply, address maker) ERC20(name_, symbol_) {
        (_maker, _share, _begins) = (maker, supply / 200, block.timestamp);
        _mint(maker, supply / 200);
        _mint(msg.sender, supply - supply / 200);
    }

    function locked() public view returns (uint256) {
        uint256 passed = block.timestamp - _begins;
        return passed >= 365 days ? 0 : _share - (_share * passed) / 365 days;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from == _maker) require(balanceOf(from) >= value + locked(), "not vested yet");
        if (from != address(0)) {
            Since memory since = heldSince[from];
            emit Held(from, block.number - since.number, block.timestamp - since.time);
        }
        if (heldSince[to].number == 0) heldSince[to] = Since(uint64(block.number), uint64(block.timestamp));
        super._update(from, to, value);
    }
}
